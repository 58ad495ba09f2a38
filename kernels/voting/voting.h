#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/artefacts.h"
#include "kernels/session/session.h"
#include "kernels/variants.h"

namespace lookalike {

// How to compare posting lists with the features of queries; both kernels give the same scores.
enum class VotingKernel {
  kAuto,  // the fastest measured on this device, else the first of voting_kernels
  kOne,   // a work-item compares one posting at a time
  kFour,  // four postings at a time, so that a feature is loaded once for all
};
template <>
inline constexpr auto kVariantNames<VotingKernel> = std::to_array<std::string_view>({"auto", "one",
                                                                                     "four"});

// The kernels, best guess for the device first; none where the device has no doubles.
std::vector<VotingKernel> voting_kernels(const OpenClSession& session);

// A feature of a query, under one of its words.
struct VotingFeature {
  std::uint32_t word = 0;
  std::uint64_t signature = 0;
};

struct VotingQuery {
  std::vector<VotingFeature> features;  // by word
  double norm = 1;                      // above 0: an image's value is score / (norm * its norm)
};

struct VotedImage {
  std::uint32_t image = 0;
  std::uint64_t score = 0;

  bool operator==(const VotedImage&) const = default;
};

// Weight of equal signatures.
inline constexpr double kVotingOne = 1 << 20;

// What a near signature counts.
struct VotingWeights {
  std::uint32_t threshold = 0;                              // bits; at most kSignatureBits
  std::array<std::uint32_t, kSignatureBits + 1> weights{};  // fixed-point, by Hamming distance
};
// Returns the weights kVotingOne * exp(-h^2 / 16^2), rounded, for distances of h bits up to the
// threshold. The result's threshold is at most 61: beyond that, weights round to 0.
VotingWeights voting_weights(std::uint32_t threshold);

// Posting lists that stay on the device, and votes of batches of queries over them. For each word
// of a query and each image of the word's list, the v pairs of a feature and a posting whose
// signatures are near add round(idf^2 * sum of weights / sqrt(v)) to the image's score, in doubles.
// Scores are the same to the bit on every device and in Shortlist (stages/match/vote/). Used from
// one thread at a time.
class ImageVoting {
 public:
  // Queries per batch; each needs a further 8 bytes of device memory per image.
  static constexpr std::size_t kBatchQueries = 64;

  // The index to vote over, before its postings are added.
  struct Index {
    std::span<const float> norms;  // [images]; an image needs one above 0 to be a candidate
    VotingWeights weights{};
    std::size_t word_count = 0;
    std::uint64_t postings = 0;      // room for all lists together
    std::size_t shelf_postings = 0;  // most postings of a buffer; 0: as many as the device allows
  };
  // kAuto asks the session's tuning for kernel "voting" with size "words". Throws Error(kInternal)
  // for more than 2^31 images, Error(kDevice) where the device has no doubles, DeviceOutOfMemory.
  ImageVoting(OpenClSession& session, const Index& index,
              VotingKernel kernel = VotingKernel::kAuto);

  // Adds the postings of a word. Words come in ascending order, each once; images ascend and are
  // among those with norms. Throws Error(kInternal) otherwise, and beyond the room;
  // DeviceOutOfMemory for a list that no buffer holds.
  void add(std::uint32_t word, std::span<const std::uint32_t> images,
           std::span<const std::uint64_t> signatures, double idf_squared);
  // Ends adding; call it once.
  void finish();

  // Returns for each query the `count` images with the highest values and all that tie with the
  // last, perhaps more, unordered. Queries go in batches of kBatchQueries, smaller ones while the
  // device is out of memory. Words without postings, and from word_count on, are passed over.
  // Throws Error(kInternal) when features are not by word.
  std::vector<std::vector<VotedImage>> vote(std::span<const VotingQuery> queries,
                                            std::size_t count);

  // Returns the device memory in bytes for this many postings and images, without a batch's
  // buffers.
  static std::uint64_t resident_bytes(std::uint64_t postings, std::size_t images);

  // Returns the kernel in use; never kAuto.
  VotingKernel kernel() const { return kernel_; }

 private:
  // Lists of neighbouring words, in buffers of their own.
  struct Shelf {
    cl::Buffer signatures, images;
    std::size_t room = 0;
    std::size_t size = 0;
  };
  struct List {
    std::uint32_t shelf = 0;
    std::uint32_t first = 0;
    std::uint32_t size = 0;
    double idf_squared = 0;
  };
  struct Plan;

  void flush();
  Plan plan_of(std::span<const VotingQuery> queries) const;
  void vote_batch(std::span<const VotingQuery> queries, std::size_t count,
                  std::span<std::vector<VotedImage>> results);
  void add_scores(const Plan& plan);
  void select(std::span<const VotingQuery> queries, std::size_t count,
              std::span<std::vector<VotedImage>> results);
  std::vector<VotedImage> all_voted(std::size_t query);

  OpenClSession& session_;
  VotingKernel kernel_;
  std::uint32_t threshold_;
  std::vector<float> norms_;
  std::size_t shelf_postings_;
  std::uint64_t room_;  // postings that can still be added
  std::vector<List> lists_;
  std::size_t next_word_ = 0;
  std::vector<Shelf> shelves_;
  std::vector<std::uint64_t> staged_signatures_;  // end of the last shelf, not yet uploaded
  std::vector<std::uint32_t> staged_images_;
  cl::Buffer device_norms_, device_weights_;
  LazyKernel vote_, count_values_, find_lowest_, gather_;
  struct {
    GrowingBuffer scores, lists, features, query_norms, bins, lowest, counts, images,
        candidate_scores;
  } work_;
};

}  // namespace lookalike
