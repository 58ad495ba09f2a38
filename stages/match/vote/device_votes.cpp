#include "stages/match/vote/device_votes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "storage/segments.h"

namespace lookalike {
namespace {

// Words whose lists are read side by side.
constexpr std::size_t kListsAtOnce = 256;

struct WordColumn {
  WordPostings postings;
  std::size_t images_with_word = 0;  // images without a norm included
};

void add(const EncodedPostings& list, const DeviceVotes::Index& index, WordColumn& column) {
  std::vector<ImageId> images(list.size());
  EncodedPostings::Images(list).read(images.data(), images.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    const ImageId image = images[i];
    if (image < index.removed.size() && index.removed[image]) continue;
    if (i == 0 || images[i - 1] != image) ++column.images_with_word;
    if (image >= index.norms.size()) continue;
    std::uint64_t signature = 0;
    std::memcpy(&signature, list.signatures() + i * sizeof signature, sizeof signature);
    column.postings.images.push_back(image);
    column.postings.signatures.push_back(signature);
  }
}

WordColumn column_of(std::uint32_t word, const DeviceVotes::Index& index) {
  WordColumn column;
  index.for_each_list(word, [&](const EncodedPostings& list) { add(list, index, column); });
  sort_by_image(column.postings);
  return column;
}

std::uint64_t checked_postings(const OpenClSession& session, const DeviceVotes::Index& index) {
  const std::uint64_t bytes = ImageVoting::resident_bytes(index.postings, index.norms.size());
  const std::uint64_t most = session.device().global_memory_bytes / 4 * 3;
  if (bytes > most) {
    throw DeviceOutOfMemory("voting: the posting lists take " + std::to_string(bytes) +
                            " bytes, more than three quarters of the memory of " +
                            session.device().name);
  }
  return index.postings;
}

}  // namespace

double inverse_frequency(std::size_t images, std::size_t images_with_word) {
  return std::log(1 + (static_cast<double>(images) + 0.5) /
                          (static_cast<double>(images_with_word) + 0.5));
}

// A query whose thread waits for the answer.
struct DeviceVotes::Waiting {
  VotingQuery query;
  std::size_t count;
  bool is_done = false;
  std::vector<VotedImage> result{};
  std::exception_ptr failure{};
};

DeviceVotes::DeviceVotes(const OpenClSession& session, const Index& index,
                         const VotingWeights& weights, std::size_t threads)
    : session_(session.another_queue()),
      voting_(session_, {index.norms, weights, index.words, checked_postings(session, index)}) {
  std::vector<WordColumn> columns(kListsAtOnce);
  for (std::size_t first = 0; first < index.words; first += kListsAtOnce) {
    const std::size_t count = std::min(kListsAtOnce, index.words - first);
    parallel_for(count, threads, [&](std::size_t i) {
      columns[i] = column_of(static_cast<std::uint32_t>(first + i), index);
    });
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [postings, images_with_word] = columns[i];
      const double idf = inverse_frequency(index.image_count, images_with_word);
      voting_.add(static_cast<std::uint32_t>(first + i), postings.images, postings.signatures,
                  idf * idf);
    }
  }
  voting_.finish();
}

std::vector<VotedImage> DeviceVotes::vote(VotingQuery query, std::size_t count) {
  Waiting mine{std::move(query), count};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&mine);
  while (!mine.is_done) {
    if (busy_) {
      changed_.wait(lock);
      continue;
    }
    // This thread answers those that have waited longest, and perhaps its own query with them.
    std::vector<Waiting*> batch;
    const std::size_t wanted = waiting_.front()->count;
    std::erase_if(waiting_, [&](Waiting* each) {
      if (batch.size() == ImageVoting::kBatchQueries || each->count != wanted) return false;
      batch.push_back(each);
      return true;
    });
    busy_ = true;
    lock.unlock();
    answer(batch);
    lock.lock();
    busy_ = false;
    for (Waiting* const each : batch) each->is_done = true;
    changed_.notify_all();
  }
  lock.unlock();
  if (mine.failure) std::rethrow_exception(mine.failure);
  return std::move(mine.result);
}

void DeviceVotes::answer(std::span<Waiting* const> batch) {
  try {
    std::vector<VotingQuery> queries;
    for (Waiting* const each : batch) queries.push_back(std::move(each->query));
    auto results = voting_.vote(queries, batch.front()->count);
    for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->result = std::move(results[i]);
  } catch (...) {
    for (Waiting* const each : batch) each->failure = std::current_exception();
  }
}

}  // namespace lookalike
