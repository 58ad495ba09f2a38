#include "storage/artefact_codecs.h"

namespace lookalike {
namespace {

constexpr std::size_t kKeypointBytes = 28;
constexpr std::size_t kIndexedFeatureBytes = 32;
constexpr std::size_t kWordCountBytes = 8;
constexpr std::uint32_t kMaxDescriptorSize = 4096;  // far above SURF's 128: bounds the products

void encode(const SourceFile& file, ByteWriter& out) {
  out.put_text(file.path);
  out.put<std::uint64_t>(file.size_bytes);
  out.put<std::int64_t>(file.modified_ns);
}

void decode(ByteReader& in, SourceFile& file) {
  file.path = in.get_text();
  file.size_bytes = in.get<std::uint64_t>();
  file.modified_ns = in.get<std::int64_t>();
}

void encode(const ImageRecord& image, ByteWriter& out) {
  encode(image.file, out);
  out.put_array(image.content.data(), image.content.size());
  out.put<std::int32_t>(image.width);
  out.put<std::int32_t>(image.height);
}

void decode(ByteReader& in, ImageRecord& image) {
  decode(in, image.file);
  in.get_array(image.content.data(), image.content.size());
  image.width = in.get<std::int32_t>();
  image.height = in.get<std::int32_t>();
}

void encode(const Keypoint& keypoint, ByteWriter& out) {
  out.put<float>(keypoint.x);
  out.put<float>(keypoint.y);
  out.put<float>(keypoint.size);
  out.put<float>(keypoint.angle_degrees);
  out.put<float>(keypoint.response);
  out.put<std::int32_t>(keypoint.octave);
  out.put<std::int32_t>(keypoint.laplacian_sign);
}

void decode(ByteReader& in, Keypoint& keypoint) {
  keypoint.x = in.get<float>();
  keypoint.y = in.get<float>();
  keypoint.size = in.get<float>();
  keypoint.angle_degrees = in.get<float>();
  keypoint.response = in.get<float>();
  keypoint.octave = in.get<std::int32_t>();
  keypoint.laplacian_sign = in.get<std::int32_t>();
}

void encode(const IndexedFeature& feature, ByteWriter& out) {
  out.put<std::uint32_t>(feature.word);
  out.put<std::uint64_t>(feature.signature);
  out.put<float>(feature.x);
  out.put<float>(feature.y);
  out.put<float>(feature.size);
  out.put<float>(feature.angle_degrees);
  out.put<std::int32_t>(feature.laplacian_sign);
}

void decode(ByteReader& in, IndexedFeature& feature) {
  feature.word = in.get<std::uint32_t>();
  feature.signature = in.get<std::uint64_t>();
  feature.x = in.get<float>();
  feature.y = in.get<float>();
  feature.size = in.get<float>();
  feature.angle_degrees = in.get<float>();
  feature.laplacian_sign = in.get<std::int32_t>();
}

void encode(const WordCount& entry, ByteWriter& out) {
  out.put<std::uint32_t>(entry.word);
  out.put<std::uint32_t>(entry.count);
}

void decode(ByteReader& in, WordCount& entry) {
  entry.word = in.get<std::uint32_t>();
  entry.count = in.get<std::uint32_t>();
}

template <typename T>
void encode_all(const std::vector<T>& entries, ByteWriter& out) {
  out.put_count(entries.size());
  for (const T& entry : entries) encode(entry, out);
}

template <typename T>
void decode_all(ByteReader& in, std::vector<T>& entries, std::size_t entry_bytes) {
  const auto count = in.get<std::uint32_t>();
  in.require_entries(count, entry_bytes);
  entries.resize(count);
  for (T& entry : entries) decode(in, entry);
}

void require_fit(const Codebook& codebook) {
  if (codebook.descriptor_size == 0 || codebook.words.size() % codebook.descriptor_size != 0 ||
      codebook.projection.size() != kSignatureBits * codebook.descriptor_size ||
      codebook.thresholds.size() != codebook.size() * kSignatureBits) {
    throw Error(ErrorKind::kInternal, "encode: the codebook's matrices do not fit each other");
  }
}

std::size_t decode_descriptor_size(ByteReader& in) {
  const auto size = in.get<std::uint32_t>();
  if (size == 0 || size > kMaxDescriptorSize) in.fail("has an impossible descriptor size");
  return size;
}

}  // namespace

void encode(const ImageFeatures& record, ByteWriter& out) {
  const FeatureSet& features = record.features;
  require(features.descriptors.size() == features.size() * features.descriptor_size,
          "encode: keypoints and descriptors differ in number");
  encode(record.image, out);
  out.put_count(features.descriptor_size);
  encode_all(features.keypoints, out);
  out.put_array(features.descriptors.data(), features.descriptors.size());
}

void decode(ByteReader& in, ImageFeatures& record) {
  decode(in, record.image);
  record.features.descriptor_size = decode_descriptor_size(in);
  decode_all(in, record.features.keypoints, kKeypointBytes);
  record.features.descriptors =
      in.get_vector<float>(record.features.size() * record.features.descriptor_size);
}

void encode(const ImageStatistics& record, ByteWriter& out) {
  encode(record.image, out);
  out.put<std::uint64_t>(record.sums.count);
  out.put<std::uint64_t>(record.sums.sum);
  out.put<std::uint64_t>(record.sums.sum_of_squares);
}

void decode(ByteReader& in, ImageStatistics& record) {
  decode(in, record.image);
  record.sums.count = in.get<std::uint64_t>();
  record.sums.sum = in.get<std::uint64_t>();
  record.sums.sum_of_squares = in.get<std::uint64_t>();
}

void encode(const ImageWords& record, ByteWriter& out) {
  encode(record.image, out);
  encode_all(record.features, out);
  encode_all(record.histogram, out);
}

void decode(ByteReader& in, ImageWords& record) {
  decode(in, record.image);
  decode_all(in, record.features, kIndexedFeatureBytes);
  decode_all(in, record.histogram, kWordCountBytes);
}

void encode(const SkippedFile& record, ByteWriter& out) {
  encode(record.file, out);
  out.put_text(record.reason);
  out.put_text(record.detail);
}

void decode(ByteReader& in, SkippedFile& record) {
  decode(in, record.file);
  record.reason = in.get_text();
  record.detail = in.get_text();
}

void encode(const Codebook& codebook, ByteWriter& out) {
  require_fit(codebook);
  out.put_count(codebook.descriptor_size);
  out.put_count(codebook.words.size() / codebook.descriptor_size);
  out.put_array(codebook.words.data(), codebook.words.size());
  out.put_array(codebook.projection.data(), codebook.projection.size());
  out.put_array(codebook.thresholds.data(), codebook.thresholds.size());
}

void decode(ByteReader& in, Codebook& codebook) {
  codebook.descriptor_size = decode_descriptor_size(in);
  const std::size_t count = in.get<std::uint32_t>();
  codebook.words = in.get_vector<float>(count * codebook.descriptor_size);
  codebook.projection = in.get_vector<float>(kSignatureBits * codebook.descriptor_size);
  codebook.thresholds = in.get_vector<float>(count * kSignatureBits);
}

}  // namespace lookalike
