#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/session/session.h"
#include "kernels/voting/voting.h"
#include "storage/stored_features.h"

namespace lookalike {

// Returns the idf of a word, smoothed so that a word of all images still counts.
double inverse_frequency(std::size_t images, std::size_t images_with_word);

// Votes over the posting lists of an index on the device, without removed images. Thread-safe:
// queries that wait while the device is busy are answered together, as one batch.
class DeviceVotes {
 public:
  struct Index {
    ForEachList for_each_list;  // called from several threads
    std::size_t words = 0;
    std::uint64_t postings = 0;  // or an upper bound
    std::size_t image_count = 0;
    std::span<const float> norms;      // by image id; at most 0 where there is no live image
    const std::vector<bool>& removed;  // by image id, perhaps shorter
  };

  // Reads all lists, on at most `threads` threads. Votes use a queue of their own, but the session
  // must be idle during construction. Throws DeviceOutOfMemory if the lists take more than three
  // quarters of the device's memory or do not fit, Error(kDevice) if the device cannot vote.
  DeviceVotes(const OpenClSession& session, const Index& index, const VotingWeights& weights,
              std::size_t threads);

  // As ImageVoting::vote, for one query.
  std::vector<VotedImage> vote(VotingQuery query, std::size_t count);

 private:
  struct Waiting;
  void answer(std::span<Waiting* const> batch);

  OpenClSession session_;
  ImageVoting voting_;  // used by the thread that set busy_
  std::mutex mutex_;    // guards what follows
  std::condition_variable changed_;
  bool busy_ = false;
  std::vector<Waiting*> waiting_;  // in the order of their calls
};

}  // namespace lookalike
