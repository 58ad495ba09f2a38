#include "storage/artefact_files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <concepts>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <type_traits>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "storage/blobs.h"

namespace lookalike {
namespace {

constexpr std::array<std::uint8_t, 8> kMagic = {'L', 'K', 'L', 'K', 0x89, '\r', '\n', 0x1A};
constexpr std::uint16_t kVersion = 2;
constexpr std::uint64_t kFooterMark = ~std::uint64_t{0};
constexpr std::size_t kHeaderBytes = 12;
constexpr std::size_t kFrameBytes = 16;   // length and checksum before each payload
constexpr std::size_t kFooterBytes = 24;  // mark, checksum, count

constexpr std::array<std::string_view, 7> kTypeNames = {
    "", "features", "statistics", "words", "skipped", "codebook", "manifest"};
template <typename Record>
constexpr std::uint16_t kTypeOf = std::is_same_v<Record, ImageFeatures>     ? 1
                                  : std::is_same_v<Record, ImageStatistics> ? 2
                                  : std::is_same_v<Record, ImageWords>      ? 3
                                  : std::is_same_v<Record, SkippedFile>     ? 4
                                  : std::is_same_v<Record, Codebook>        ? 5
                                                                            : 6;

std::string type_name(std::uint16_t type) {
  if (type == 0 || type >= kTypeNames.size()) return fmt::format("unknown ({})", type);
  return std::string(kTypeNames[type]);
}

}  // namespace

// Reads the payloads of a file of any type.
class RecordFile {
 public:
  RecordFile(const std::filesystem::path& path, std::uint16_t type) : path_(path) {
    file_ = FileDescriptor(
        ::open(resolved(path).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file_.is_open()) fail(std::generic_category().message(errno));
    struct stat status {};
    if (::fstat(file_.number(), &status) != 0) fail(std::generic_category().message(errno));
    if (!S_ISREG(status.st_mode)) fail("is not a file");
    left_ = static_cast<std::uint64_t>(status.st_size);
    read_header(type);
  }

  // Returns the payload of the next record; nothing after the last.
  std::optional<Bytes> next() {
    if (ended_) return std::nullopt;
    const Bytes frame = read(kFrameBytes);
    ByteReader in(frame, ErrorKind::kInput);
    const auto length = in.get<std::uint64_t>();
    const auto expected = in.get<std::uint64_t>();
    const bool is_footer = length == kFooterMark;
    Bytes payload = read(is_footer ? kFooterBytes - kFrameBytes : length);
    if (checksum(payload, records_) != expected) fail_at_record("its checksum does not match");
    if (is_footer) {
      end(payload);
      return std::nullopt;
    }
    ++records_;
    return payload;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kInput, fmt::format("{}: {}", path_.string(), what));
  }
  // Names the last record read.
  [[noreturn]] void fail_in_record(const char* what) const {
    fail(fmt::format("record {} {}", records_, what));
  }

 private:
  void read_header(std::uint16_t type) {
    const std::uint64_t size = left_;
    const Bytes header = read(std::min<std::uint64_t>(size, kHeaderBytes));
    const std::size_t known = std::min(header.size(), kMagic.size());
    if (known == 0 ||
        !std::equal(header.begin(), header.begin() + static_cast<long>(known), kMagic.begin())) {
      fail("is not an artefact file of lookalike");
    }
    if (header.size() < kHeaderBytes) fail("is truncated");
    ByteReader in(ByteView(header).subspan(kMagic.size()), ErrorKind::kInput);
    const auto version = in.get<std::uint16_t>();
    const auto found = in.get<std::uint16_t>();
    if (version != kVersion) {
      fail(fmt::format("has format version {}, and this program reads version {}", version,
                       kVersion));
    }
    if (found != type) {
      fail(fmt::format("is a {} file, expected {}", type_name(found), type_name(type)));
    }
  }

  void end(const Bytes& payload) {
    const auto count = ByteReader(payload, ErrorKind::kInput).get<std::uint64_t>();
    if (count != records_) fail(fmt::format("has {} records instead of {}", records_, count));
    if (left_ != 0) fail(fmt::format("has {} bytes after its end", left_));
    ended_ = true;
  }

  Bytes read(std::uint64_t size) {
    if (size > left_) fail(fmt::format("is truncated or damaged after record {}", records_));
    Bytes bytes(size);
    const auto read_to = [&](std::size_t done, std::size_t left) {
      return ::read(file_.number(), bytes.data() + done, left);
    };
    if (!move_all(size, read_to)) fail(std::generic_category().message(errno));
    left_ -= size;
    return bytes;
  }

  [[noreturn]] void fail_at_record(const char* what) const {
    fail(fmt::format("record {} is damaged: {}", records_ + 1, what));
  }

  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t left_ = 0;  // bytes still to read
  std::uint64_t records_ = 0;
  bool ended_ = false;
};

namespace {

template <typename Record, typename Type>
concept Is = std::same_as<std::remove_const_t<Record>, Type>;

// The fields of each record in the order of their bytes. An Encoder writes them, a Decoder sets
// them.
void code(auto& codec, Is<SourceFile> auto& file) {
  codec(file.path, file.size_bytes, file.modified_ns, file.changed_ns, file.inode);
}

void code(auto& codec, Is<ImageRecord> auto& image) {
  codec(image.file, image.content, image.width, image.height);
}

void code(auto& codec, Is<Keypoint> auto& keypoint) {
  codec(keypoint.x, keypoint.y, keypoint.size, keypoint.angle_degrees, keypoint.response,
        keypoint.octave, keypoint.laplacian_sign);
}

void code(auto& codec, Is<IndexedFeature> auto& feature) {
  codec(feature.word, feature.signature, feature.x, feature.y, feature.size, feature.angle_degrees,
        feature.laplacian_sign);
}

void code(auto& codec, Is<WordCount> auto& entry) {
  codec(entry.word, entry.count);
}

void code(auto& codec, Is<ImageFeatures> auto& record) {
  auto& features = record.features;
  codec(record.image);
  codec.descriptor_size(features.descriptor_size);
  codec(features.keypoints);
  codec.matrix(features.descriptors, features.size(), features.descriptor_size);
}

void code(auto& codec, Is<ImageStatistics> auto& record) {
  codec(record.image, record.sums.count, record.sums.sum, record.sums.sum_of_squares);
}

void code(auto& codec, Is<ImageWords> auto& record) {
  codec(record.image, record.features, record.histogram);
}

void code(auto& codec, Is<SkippedFile> auto& record) {
  codec(record.file, record.reason, record.detail);
}

void code(auto& codec, Is<Codebook> auto& codebook) {
  codec.descriptor_size(codebook.descriptor_size);
  const std::size_t words = codec.word_count(codebook.size());
  codec.matrix(codebook.words, words, codebook.descriptor_size);
  codec.matrix(codebook.projection, kSignatureBits, codebook.descriptor_size);
  codec.matrix(codebook.thresholds, words, kSignatureBits);
  codec.cells(codebook.cells, words, codebook.descriptor_size);
}

class Encoder {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  void descriptor_size(std::size_t size) {
    require(size > 0, "encode: descriptors without elements");
    out_.put_count(size);
  }
  std::size_t word_count(std::size_t count) {
    out_.put_count(count);
    return count;
  }
  void matrix(const std::vector<float>& values, std::size_t rows, std::size_t cols) {
    require(values.size() == rows * cols, "encode: the record's matrices do not fit each other");
    out_.put_array(values.data(), values.size());
  }
  // Must be the last field.
  void cells(const WordCells& cells, std::size_t words, std::size_t descriptor_size) {
    require(cells.fit(words, descriptor_size), "encode: the cells do not fit the words");
    if (!cells.empty()) put_cells(out_, cells);
  }
  Bytes take() { return out_.take(); }

 private:
  template <typename T>
  void put(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      out_.put<T>(value);
    } else {
      code(*this, value);
    }
  }
  void put(const std::string& text) { out_.put_text(text); }
  void put(const ContentHash& content) { out_.put_array(content.data(), content.size()); }
  template <typename T>
  void put(const std::vector<T>& entries) {
    out_.put_count(entries.size());
    for (const T& entry : entries) put(entry);
  }

  ByteWriter out_;
};

class Decoder {
 public:
  explicit Decoder(ByteView payload) : in_(payload, ErrorKind::kInput) {}

  template <typename... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  void descriptor_size(std::size_t& size) {
    size = in_.get<std::uint32_t>();
    if (size == 0 || size > kMaxDescriptorSize) in_.fail("has an impossible descriptor size");
  }
  std::size_t word_count(std::size_t /*before*/) {
    const auto count = in_.get<std::uint32_t>();
    if (count == 0) in_.fail("has no words");
    return count;
  }
  void matrix(std::vector<float>& values, std::size_t rows, std::size_t cols) {
    values = in_.get_vector<float>(rows * cols);
  }
  void cells(WordCells& cells, std::size_t words, std::size_t descriptor_size) {
    if (!in_.rest().empty()) cells = get_cells(in_, words, descriptor_size);
  }
  void require_end() const { in_.require_end(); }

 private:
  template <typename T>
  void get(T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      value = in_.get<T>();
    } else {
      code(*this, value);
    }
  }
  void get(std::string& text) { text = in_.get_text(); }
  void get(ContentHash& content) { in_.get_array(content.data(), content.size()); }
  template <typename T>
  void get(std::vector<T>& entries) {
    const auto count = in_.get<std::uint32_t>();
    static const std::size_t entry_bytes = encode_record(T()).size();
    in_.require_entries(count, entry_bytes);
    entries.resize(count);
    for (T& entry : entries) get(entry);
  }

  ByteReader in_;
};

}  // namespace

template <typename Record>
Bytes encode_record(const Record& record) {
  Encoder encoder;
  encoder(record);
  return encoder.take();
}

template <typename Record>
Record decode_record(ByteView payload) {
  Decoder decoder(payload);
  Record record;
  decoder(record);
  decoder.require_end();
  return record;
}

template <typename Record>
ArtefactWriter<Record>::ArtefactWriter(OutputFile file) : file_(std::move(file)) {
  ByteWriter header;
  header.put_array(kMagic.data(), kMagic.size());
  header.put<std::uint16_t>(kVersion);
  header.put<std::uint16_t>(kTypeOf<Record>);
  file_.write(header.view());
}

template <typename Record>
void ArtefactWriter<Record>::write(const Record& record) {
  const Bytes payload = encode_record(record);
  write_frame(payload.size(), payload);
  ++records_;
}

template <typename Record>
void ArtefactWriter<Record>::finish() {
  ByteWriter count;
  count.put<std::uint64_t>(records_);
  write_frame(kFooterMark, count.view());
  file_.commit();
}

// The record's place seeds the checksum, so that lost and repeated records are detected.
template <typename Record>
void ArtefactWriter<Record>::write_frame(std::uint64_t length, ByteView payload) {
  ByteWriter frame;
  frame.put<std::uint64_t>(length);
  frame.put<std::uint64_t>(checksum(payload, records_));
  file_.write(frame.view());
  file_.write(payload);
}

template <typename Record>
ArtefactReader<Record>::ArtefactReader(const std::filesystem::path& file)
    : file_(std::make_unique<RecordFile>(file, kTypeOf<Record>)) {}

template <typename Record>
ArtefactReader<Record>::~ArtefactReader() = default;

template <typename Record>
std::optional<Record> ArtefactReader<Record>::next() {
  const std::optional<Bytes> payload = file_->next();
  if (!payload) return std::nullopt;
  try {
    return decode_record<Record>(*payload);
  } catch (const Error& error) {
    file_->fail_in_record(error.what());
  }
}

template <typename Record>
OutputKind artefact_kind() {
  const auto is_earlier = [](std::string_view start) {
    const ByteView bytes = bytes_of(start);
    constexpr std::size_t kTypeAt = kHeaderBytes - sizeof(std::uint16_t);
    return bytes.size() >= kHeaderBytes && std::ranges::equal(bytes.first(kMagic.size()), kMagic) &&
           ByteReader(bytes.subspan(kTypeAt), ErrorKind::kInput).get<std::uint16_t>() ==
               kTypeOf<Record>;
  };
  return {fmt::format("a {} file of lookalike", type_name(kTypeOf<Record>)), is_earlier};
}

void write_codebook(OutputFile file, const Codebook& codebook) {
  ArtefactWriter<Codebook> writer(std::move(file));
  writer.write(codebook);
  writer.finish();
}

Codebook read_codebook(const std::filesystem::path& file) {
  ArtefactReader<Codebook> reader(file);
  std::optional<Codebook> codebook = reader.next();
  if (!codebook || reader.next()) {
    throw Error(ErrorKind::kInput, file.string() + ": does not contain exactly one codebook");
  }
  return std::move(*codebook);
}

ContentHash codebook_hash(const Codebook& codebook) {
  return hash_content(encode_record(codebook));
}

#define LOOKALIKE_RECORD(Record)               \
  template class ArtefactWriter<Record>;       \
  template class ArtefactReader<Record>;       \
  template OutputKind artefact_kind<Record>(); \
  template Bytes encode_record(const Record&); \
  template Record decode_record(ByteView);
LOOKALIKE_RECORD(ImageFeatures)
LOOKALIKE_RECORD(ImageStatistics)
LOOKALIKE_RECORD(ImageWords)
LOOKALIKE_RECORD(SkippedFile)
LOOKALIKE_RECORD(Codebook)
LOOKALIKE_RECORD(SourceFile)
#undef LOOKALIKE_RECORD

}  // namespace lookalike
