// How fast an index of made-up images is built, grown, read and shrunk, and how large it is.
//   index_benchmark [IMAGES] [FOLDER]    default: 100000 images, in the system's temporary folder

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"
#include "storage/index_reader.h"
#include "storage/index_writer.h"
#include "storage/sqlite.h"

namespace lookalike {
namespace {

constexpr std::uint32_t kWords = 65536;
constexpr std::size_t kFeatures = 300;    // per image
constexpr std::size_t kBatchImages = 64;  // StoreOptions' defaults
constexpr std::size_t kMaxSegments = 10;
constexpr std::size_t kAddedImages = 10000;
constexpr std::size_t kQueryWords = 400;
constexpr std::size_t kVerifiedImages = 200;
constexpr int kRepeats = 5;

// Some words are more frequent than others: a query word has 1.3 times the mean's postings.
std::uint32_t random_word(Random& random) {
  return static_cast<std::uint32_t>(kWords * std::pow(random.uniform(), 1.5));
}

std::string path_of(std::size_t number) {
  return fmt::format("/photos/{:08}.jpg", number);
}

ImageToStore made_up_image(std::size_t number) {
  Random random(number);
  ImageToStore image;
  image.words.image = {{path_of(number), 1, 1}, {}, 1024, 768};
  for (auto& byte : image.words.image.content) byte = static_cast<std::uint8_t>(random.bits());
  for (std::size_t i = 0; i < kFeatures; ++i) {
    image.words.features.push_back(
        {random_word(random), random.bits(), static_cast<float>(random.between(0, 1024)),
         static_cast<float>(random.between(0, 768)), static_cast<float>(random.between(9, 99)),
         static_cast<float>(random.between(0, 360)), 1});
  }
  std::sort(image.words.features.begin(), image.words.features.end(),
            [](const auto& a, const auto& b) { return a.word < b.word; });
  for (const IndexedFeature& feature : image.words.features) {
    SparseHistogram& histogram = image.words.histogram;
    if (histogram.empty() || histogram.back().word != feature.word) {
      histogram.push_back({feature.word, 0});
    }
    ++histogram.back().count;
  }
  return image;
}

std::vector<ImageToStore> made_up_batch(std::size_t first, std::size_t end) {
  std::vector<ImageToStore> batch;
  for (std::size_t number = first; number < end; ++number) batch.push_back(made_up_image(number));
  return batch;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best_ms_of(const std::function<void()>& work) {
  double best = seconds_of(work);
  for (int i = 1; i < kRepeats; ++i) best = std::min(best, seconds_of(work));
  return 1000 * best;
}

void report(const std::string& what, const std::string& result) {
  fmt::print("| {} | {} |\n", what, result);
}

void build(IndexWriter& writer, std::size_t images) {
  Codebook codebook;
  codebook.words.resize(kWords * codebook.descriptor_size);
  codebook.projection.resize(kSignatureBits * codebook.descriptor_size);
  codebook.thresholds.resize(kWords * kSignatureBits);
  writer.set_codebook(codebook, {});
  double publish_s = 0;
  double merge_s = 0;
  for (std::size_t first = 0; first < images; first += kBatchImages) {
    const auto batch = made_up_batch(first, std::min(images, first + kBatchImages));
    publish_s += seconds_of([&] { writer.publish(batch); });
    merge_s += seconds_of([&] { writer.merge_segments(kMaxSegments); });
  }
  report("build, batches of 64, merged after each",
         fmt::format("{:.0f} images/s: {:.1f} s of publishing, {:.1f} s of merging",
                     static_cast<double>(images) / (publish_s + merge_s), publish_s, merge_s));
}

void read(const std::filesystem::path& database) {
  const IndexReader index(database);
  Random random(1);
  std::vector<std::uint32_t> words(kQueryWords);
  for (std::uint32_t& word : words) word = random_word(random);
  std::size_t postings = 0;
  const double query_ms = best_ms_of([&] {
    postings = 0;
    for (const std::uint32_t word : words) postings += index.postings(word).images.size();
  });
  report(fmt::format("postings of {} words, {} segments", kQueryWords, index.counts().segments),
         fmt::format("{:.1f} ms for {} postings", query_ms, postings));
  const std::size_t images = index.counts().images;
  report(fmt::format("features of {} images", kVerifiedImages),
         fmt::format("{:.2f} ms", best_ms_of([&] {
                       for (std::size_t i = 0; i < kVerifiedImages; ++i) {
                         index.features(static_cast<ImageId>(1 + random.bits() % images));
                       }
                     })));
  report("norms of all", fmt::format("{:.1f} ms", best_ms_of([&] { index.norms(); })));
  report("codebook", fmt::format("{:.1f} ms", best_ms_of([&] { index.codebook(); })));
  report("open", fmt::format("{:.2f} ms", best_ms_of([&] { IndexReader another(database); })));
}

// After a merge half of the file can be free pages; they are counted apart.
void report_size(const std::filesystem::path& database, std::size_t images) {
  const Connection connection(database, Connection::Mode::kRead);
  const auto number = [&](const char* sql) {
    Statement statement(connection, sql);
    Rows rows = statement.rows();
    return rows.next() ? rows.real(0) : 0;
  };
  const double page = number("PRAGMA page_size");
  const double free = number("PRAGMA freelist_count") * page;
  const double used = number("PRAGMA page_count") * page - free;
  const auto count = static_cast<double>(images);
  report("posting blobs", fmt::format("{:.2f} bytes a posting",
                                      number("SELECT sum(length(data)) FROM postings") /
                                          number("SELECT sum(posting_count) FROM segments")));
  report("forward records", fmt::format("{:.2f} bytes a feature",
                                        number("SELECT sum(length(data)) FROM forward") /
                                            number("SELECT sum(feature_count) FROM images")));
  report("database",
         fmt::format("{:.0f} bytes an image in use, {:.0f} free", used / count, free / count));
}

void run(std::size_t images, const std::filesystem::path& folder) {
  const std::filesystem::path database = folder / "index.db";
  IndexWriter writer(database);
  fmt::print("| {} images of {} features, {} words | |\n|---|---|\n", images, kFeatures, kWords);
  build(writer, images);
  read(database);
  const auto added = made_up_batch(images, images + kAddedImages);
  report(fmt::format("add {} images in one publish", kAddedImages),
         fmt::format("{:.2f} s", seconds_of([&] { writer.publish(added); })));
  std::size_t removed = 0;
  report("remove one image", fmt::format("{:.2f} ms", best_ms_of([&] {
                                           const std::string path = path_of(removed++);
                                           writer.remove_paths({&path, 1});
                                         })));
  report("merge to one segment",
         fmt::format("{:.1f} s", seconds_of([&] { writer.merge_segments(1); })));
  read(database);
  report_size(database, images + kAddedImages);
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  const std::size_t images = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000;
  const std::filesystem::path parent =
      argc > 2 ? std::filesystem::path(argv[2]) : std::filesystem::temp_directory_path();
  const std::filesystem::path folder = parent / "lookalike-index-benchmark";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  lookalike::run(images, folder);
  std::filesystem::remove_all(folder);
}
