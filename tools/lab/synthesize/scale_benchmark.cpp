#include "tools/lab/synthesize/scale_benchmark.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <fstream>
#include <numeric>
#include <optional>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error.h"
#include "base/page_name.h"
#include "base/program.h"
#include "base/text.h"
#include "pipeline/device/open_session.h"
#include "pipeline/graph/build_graph.h"
#include "pipeline/searcher.h"
#include "storage/index_writer.h"
#include "tools/command_line/command_line.h"

namespace lookalike {
namespace {

// What an index may take for each feature while it is built and merged; measured: 31 to 40.
constexpr std::uint64_t kBytesPerFeature = 48;
constexpr std::uint64_t kFreeBytes = std::uint64_t{1} << 30;
constexpr std::size_t kAddedImages = 10'000;
constexpr std::size_t kComparedImages = 4096;
constexpr std::size_t kColdQueries = 20;
constexpr std::size_t kRemovedAlone = 10;
constexpr std::size_t kRemovedAtOnce = 100;

// A number of /proc/self/FILE, after "NAME:".
std::uint64_t own_number(const char* file, const std::string& name) {
  std::ifstream lines(fmt::format("/proc/self/{}", file));
  std::string word;
  std::uint64_t number = 0;
  while (lines >> word) {
    if (word == name + ':' && lines >> number) return number;
  }
  return 0;
}

StepCost used_so_far() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  return {.wall_s = now.count(),
          .cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .written_bytes = own_number("io", "write_bytes"),
          .read_bytes = own_number("io", "read_bytes"),
          .called_bytes = own_number("io", "rchar"),
          .reads = own_number("io", "syscr")};
}

template <typename Work>
StepCost cost_of(const Work& work) {
  const StepCost before = used_so_far();
  work();
  const StepCost after = used_so_far();
  return {.wall_s = after.wall_s - before.wall_s,
          .cpu_s = after.cpu_s - before.cpu_s,
          .written_bytes = after.written_bytes - before.written_bytes,
          .read_bytes = after.read_bytes - before.read_bytes,
          .called_bytes = after.called_bytes - before.called_bytes,
          .reads = after.reads - before.reads};
}

void reset_peak_memory() {
  return_freed_memory();
  std::ofstream("/proc/self/clear_refs") << 5;
}

std::uint64_t peak_memory_bytes() {
  return own_number("status", "VmHWM") * 1024;
}

void drop_from_file_cache(const std::filesystem::path& file) {
  const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return;
  ::fdatasync(opened);  // dirty pages would stay
  ::posix_fadvise(opened, 0, 0, POSIX_FADV_DONTNEED);
  ::close(opened);
}

// The largest size of a database's log, looked at every few milliseconds.
class LogWatch {
 public:
  explicit LogWatch(const std::filesystem::path& database)
      : thread_([this, log = database.string() + "-wal"](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            std::error_code error;
            const auto size = std::filesystem::file_size(log, error);
            if (!error) largest_ = std::max<std::uint64_t>(largest_, size);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          }
        }) {}
  std::uint64_t largest_bytes() const { return largest_; }

 private:
  std::atomic<std::uint64_t> largest_ = 0;
  std::jthread thread_;
};

// Milliseconds of each query.
struct Times {
  std::vector<double> matching, words, voting, verification, rest;

  void add(const MatchTimes& steps, double all_ms) {
    matching.push_back(all_ms);
    words.push_back(steps.words);
    voting.push_back(steps.shortlist);
    verification.push_back(steps.verify);
    rest.push_back(all_ms - steps.words - steps.shortlist - steps.verify);
  }
  QueryFigures figures(StepCost all) const {
    const std::size_t n = matching.size();
    const auto count = static_cast<double>(n);
    return {.queries = n,
            .matching = percentiles(matching),
            .words = percentiles(words),
            .voting = percentiles(voting),
            .verification = percentiles(verification),
            .rest = percentiles(rest),
            .each = {.wall_s = all.wall_s / count,
                     .cpu_s = all.cpu_s / count,
                     .written_bytes = all.written_bytes / n,
                     .read_bytes = all.read_bytes / n,
                     .called_bytes = all.called_bytes / n,
                     .reads = all.reads / n}};
  }
};

class ScaleMeasurement {
 public:
  ScaleMeasurement(const std::filesystem::path& sample, const SynthesisOptions& synthesis,
                   const RunConfig& config, const std::filesystem::path& scratch,
                   Progress::Style style)
      : sample_(sample),
        synthesis_(synthesis),
        config_(config),
        database_(scratch / "scale.db"),
        style_(style) {
    config_.store.database = database_;
    config_.match.shards.clear();
    config_.match.calibration.clear();
  }

  ScaleBenchmark run() {
    {
      const IndexReader sample(sample_);
      check_photos(sample);
      check_space();
      build(sample);
    }
    find_all();
    change();
    return result_;
  }

 private:
  void check_photos(const IndexReader& sample) const {
    sample.for_each_file([&](const std::string& path, std::int64_t) {
      if (has_file(path)) return;
      throw Error(ErrorKind::kInput,
                  fmt::format("{}: {} is gone: the sample is an index of photos that are still "
                              "there, since they are searched for",
                              printable(sample_.string()), printable(path)));
    });
  }

  void check_space() const {
    const std::uint64_t needed =
        synthesis_.images * synthesis_.features * kBytesPerFeature + kFreeBytes;
    const std::uint64_t free = std::filesystem::space(database_.parent_path()).available;
    if (free >= needed) return;
    throw Error(
        ErrorKind::kStorage,
        fmt::format("{}: has {:.1f} GB free, and {} images of {} features need {:.1f}: "
                    "name a larger disk by --scratch",
                    printable(database_.parent_path().string()), static_cast<double>(free) / 1e9,
                    synthesis_.images, synthesis_.features, static_cast<double>(needed) / 1e9));
  }

  void build(const IndexReader& sample) {
    SynthesisOptions some = synthesis_;
    some.with_sample = false;
    some.planted = 0;
    some.images = std::min(synthesis_.images, kAddedImages);
    const StepCost making = cost_of([&] { synthesize(sample, some, [](const ImageToStore&) {}); });
    result_.synthesis_cpu_s =
        making.cpu_s * static_cast<double>(synthesis_.images) / static_cast<double>(some.images);
    reset_peak_memory();
    {
      const LogWatch log(database_);
      Progress progress("build", "images", synthesis_.images, style_);
      result_.build = cost_of([&] {
        IndexWriter writer(database_);
        planted_ = store_synthetic(sample, synthesis_, writer,
                                   [&](std::size_t done) { progress.update(done); });
      });
      result_.largest_log_bytes = log.largest_bytes();
    }
    result_.build_memory_bytes = peak_memory_bytes();
    first_stranger_ = planted_.size();
    strangers_ = synthesis_.images + planted_.size() - sample.counts().images - first_stranger_;
    const IndexCounts counts = IndexReader(database_).counts();
    result_.images = counts.images;
    result_.postings = counts.postings;
    result_.segments = counts.segments;
    result_.words = counts.words;
    result_.file_bytes = std::filesystem::file_size(database_);
  }

  // Looks one photo up; returns whether its planted copy comes first.
  bool find_one(Searcher& searcher, const PlantedCopy& copy, Times& times) const {
    const auto loaded = searcher.load(copy.original);
    if (const auto* skipped = std::get_if<SkippedFile>(&loaded)) {
      throw Error(ErrorKind::kInput, unusable_text(copy.original, *skipped));
    }
    const auto start = std::chrono::steady_clock::now();
    const QueryResult found = searcher.search(std::get<Query>(loaded));
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    times.add(found.times, taken.count());
    return !found.matches.empty() &&
           std::ranges::find(found.matches.front().image.paths, copy.path) !=
               found.matches.front().image.paths.end();
  }

  void find_all() {
    if (planted_.empty()) return;
    reset_peak_memory();
    OpenClSession session(query_session_options(config_.device));
    result_.device = session.device().name;
    {
      std::optional<IndexReader> index;
      std::optional<Searcher> searcher;
      result_.start = cost_of([&] {
        index.emplace(database_);
        searcher.emplace(*index, config_, &session);
      });
      searcher->prepare_extraction();
      Progress progress("queries", "photos", 2 * planted_.size(), style_);
      std::size_t done = 0;
      Times first;
      for (const PlantedCopy& copy : planted_) {
        find_one(*searcher, copy, first);
        progress.update(++done);
      }
      Times times;
      std::size_t right = 0;
      const StepCost all = cost_of([&] {
        for (const PlantedCopy& copy : planted_) {
          right += find_one(*searcher, copy, times) ? 1 : 0;
          progress.update(++done);
        }
      });
      result_.warm = times.figures(all);
      result_.recall_at_1 = static_cast<double>(right) / static_cast<double>(planted_.size());
    }
    result_.query_memory_bytes = peak_memory_bytes();
    const std::size_t count = std::min(kColdQueries, planted_.size());
    Progress progress("cold queries", "photos", count, style_);
    Times times;
    StepCost all;
    for (std::size_t i = 0; i < count; ++i) {
      const IndexReader index(database_);
      Searcher searcher(index, config_, &session);
      drop_from_file_cache(database_);
      const StepCost one = cost_of([&] { find_one(searcher, planted_[i], times); });
      all.wall_s += one.wall_s;
      all.cpu_s += one.cpu_s;
      all.read_bytes += one.read_bytes;
      all.called_bytes += one.called_bytes;
      all.reads += one.reads;
      progress.update(i + 1);
    }
    result_.cold = times.figures(all);
  }

  void change() {
    reset_peak_memory();
    std::optional<IndexWriter> writer;
    result_.open_writer = cost_of([&] { writer.emplace(database_); });
    {
      const IndexReader sample(sample_);
      SynthesisOptions more = synthesis_;
      more.with_sample = false;
      more.planted = 0;
      more.seed = synthesis_.seed + 1;
      more.images = std::min(synthesis_.images, kAddedImages);
      result_.added = more.images;
      result_.add = cost_of([&] { store_synthetic(sample, more, *writer); });
    }
    const std::uint64_t adding_memory_bytes = peak_memory_bytes();
    complete_graph(*writer);
    reset_peak_memory();
    remove(*writer);
    const LogWatch log(database_);
    result_.merge = cost_of([&] { writer->merge_segments(1); });
    result_.merge_log_bytes = log.largest_bytes();
    result_.store_memory_bytes = std::max(adding_memory_bytes, peak_memory_bytes());
  }

  // Completes the graph of the last images, as if those before them had been compared.
  void complete_graph(IndexWriter& writer) {
    const std::size_t newest = writer.norms().size() - 1;
    const std::size_t compared = std::min(kComparedImages, newest);
    writer.put_neighbours({}, static_cast<ImageId>(newest - compared));
    result_.compared = writer.images_to_compare().size();
    reset_peak_memory();
    OpenClSession session(query_session_options(config_.device));
    result_.graph = cost_of([&] {
      lookalike::complete_graph(
          writer, config_, session, style_, [] {}, "graph");
    });
    result_.graph_memory_bytes = peak_memory_bytes();
  }

  // As the command does, of files that are spread over the index.
  void remove(IndexWriter& writer) {
    std::size_t next = 0;
    const std::size_t all = std::min(kRemovedAlone + kRemovedAtOnce, strangers_);
    const auto some = [&](std::size_t count) {
      std::vector<std::string> paths;
      for (; count > 0 && next < all; --count) {
        const std::string path =
            synthetic_path(synthesis_.seed, first_stranger_ + next++ * strangers_ / all);
        for (std::string& known : writer.known_paths(path)) paths.push_back(std::move(known));
      }
      writer.remove_paths(paths);
      return paths.size();
    };
    std::vector<StepCost> alone;
    for (std::size_t i = 0; i < kRemovedAlone; ++i) {
      alone.push_back(cost_of([&] { some(1); }));
    }
    std::ranges::sort(alone, {}, &StepCost::wall_s);
    result_.remove_one = alone[alone.size() / 2];
    result_.remove_many = cost_of([&] { result_.removed = some(kRemovedAtOnce); });
  }

  const std::filesystem::path sample_;
  const SynthesisOptions synthesis_;
  RunConfig config_;
  const std::filesystem::path database_;
  const Progress::Style style_;
  std::vector<PlantedCopy> planted_{};
  std::size_t first_stranger_ = 0;  // numbers of synthetic images that are no copies
  std::size_t strangers_ = 0;
  ScaleBenchmark result_{};
};

}  // namespace

Percentiles percentiles(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(values.size()));
    return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  return {at(0.5), at(0.95), at(0.99)};
}

ScaleBenchmark benchmark_scale(const std::filesystem::path& sample,
                               const SynthesisOptions& synthesis, const RunConfig& config,
                               const std::filesystem::path& scratch, Progress::Style style) {
  return ScaleMeasurement(sample, synthesis, config, scratch, style).run();
}

}  // namespace lookalike
