#include "tests/storage/samples.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

namespace lookalike {

Bytes read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& file, ByteView bytes) {
  std::filesystem::remove(file);  // some file systems sync when a file's content is replaced
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

Error error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

SourceFile sample_file(std::uint64_t number) {
  const std::int64_t time = 1'700'000'000'000'000'000 + static_cast<std::int64_t>(number);
  return {"/photos/" + std::to_string(number) + ".jpg", 1000 + number, time, time + 1, ~number};
}

ImageRecord sample_image(std::uint64_t number) {
  ImageRecord image{sample_file(number), {}, 640, 480};
  Random random(number);
  for (std::uint8_t& byte : image.content) byte = static_cast<std::uint8_t>(random.bits());
  return image;
}

ImageFeatures sample_features(std::uint64_t number, std::size_t count) {
  ImageFeatures sample{sample_image(number), {}};
  Random random(number);
  sample.features.descriptor_size = 3;
  for (std::size_t i = 0; i < count; ++i) {
    sample.features.keypoints.push_back(
        {static_cast<float>(random.between(0, 640)), static_cast<float>(random.between(0, 480)),
         static_cast<float>(random.between(9, 80)), static_cast<float>(random.between(0, 360)),
         static_cast<float>(random.between(100, 900)), random.below(4), random.below(3) - 1});
    for (int j = 0; j < 3; ++j) {
      sample.features.descriptors.push_back(static_cast<float>(random.between(-1, 1)));
    }
  }
  return sample;
}

ImageWords sample_words(std::uint64_t number, std::size_t count, int word_count) {
  ImageWords sample{sample_image(number), {}, {}};
  Random random(number);
  std::map<std::uint32_t, std::uint32_t> counts;
  for (std::size_t i = 0; i < count; ++i) {
    sample.features.push_back({static_cast<std::uint32_t>(random.below(word_count)), random.bits(),
                               static_cast<float>(random.between(0, 640)),
                               static_cast<float>(random.between(0, 480)),
                               static_cast<float>(random.between(9, 80)),
                               static_cast<float>(random.between(0, 360)), random.below(3) - 1});
    ++counts[sample.features.back().word];
  }
  std::stable_sort(sample.features.begin(), sample.features.end(),
                   [](const auto& a, const auto& b) { return a.word < b.word; });
  for (const auto& [word, times] : counts) sample.histogram.push_back({word, times});
  return sample;
}

ImageToStore sample_to_store(std::uint64_t number, std::size_t count, int word_count) {
  return {sample_words(number, count, word_count), {100, 10 * number, 1000 * number}, count == 0};
}

Codebook sample_codebook(std::size_t words, std::size_t descriptor_size) {
  Codebook codebook;
  codebook.descriptor_size = descriptor_size;
  Random random(words);
  const auto fill = [&](std::vector<float>& values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<float>(random.between(-1, 1)));
    }
  };
  fill(codebook.words, words * descriptor_size);
  fill(codebook.projection, kSignatureBits * descriptor_size);
  fill(codebook.thresholds, words * kSignatureBits);
  return codebook;
}

Codebook with_cells(Codebook codebook) {
  codebook.cells.centres.assign(
      codebook.words.begin(),
      codebook.words.begin() + static_cast<std::ptrdiff_t>(3 * codebook.descriptor_size));
  codebook.cells.starts = {0, 6, 7, static_cast<std::uint32_t>(codebook.size())};
  codebook.cells.probes = 2;
  return codebook;
}

}  // namespace lookalike
