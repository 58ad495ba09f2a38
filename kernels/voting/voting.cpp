#include "kernels/voting/voting.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "kernels/session/build_options.h"

namespace lookalike {
namespace {

constexpr std::size_t kVoteGroupItems = 64;
// Postings of a list that a group takes, on average over the lists of a batch.
constexpr std::size_t kPiecePostings = 512;
constexpr std::size_t kMostPieces = 1024;
constexpr std::size_t kSelectItems = 256;
constexpr std::size_t kSelectImages = 16'384;
constexpr std::size_t kBins = 4096;
// Room for candidates of a query beyond those wanted. When there are more, as when most images have
// the same score, all of the query's scores are read.
constexpr std::size_t kSpareCandidates = 4096;
// All scores are read when more than one in this many images is wanted.
constexpr std::size_t kFewestImagesPerWanted = 8;
// Postings that are copied to the device at once.
constexpr std::size_t kStagedPostings = std::size_t{1} << 20U;
constexpr std::uint32_t kSeveral = std::uint32_t{1} << 31U;  // SEVERAL in voting.cl
constexpr std::uint64_t kPostingBytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);

// As List and Votes in voting.cl.
struct ListOnDevice {
  cl_uint first, end, first_feature, end_feature;
  cl_double idf_squared;
};
struct Votes {
  cl_uint list_count, pieces, threshold, unused;
  cl_ulong image_count;
};
static_assert(sizeof(ListOnDevice) == 24 && sizeof(Votes) == 24);

using Feature = std::array<cl_ulong, 2>;

}  // namespace

VotingWeights voting_weights(std::uint32_t threshold) {
  constexpr double kSigmaBits = 16;
  VotingWeights result;
  for (std::uint32_t h = 0; h <= std::min<std::size_t>(threshold, kSignatureBits); ++h) {
    const double ratio = static_cast<double>(h) / kSigmaBits;
    result.weights[h] =
        static_cast<std::uint32_t>(std::lround(kVotingOne * std::exp(-ratio * ratio)));
    if (result.weights[h] > 0) result.threshold = h;
  }
  return result;
}

// What a batch compares with the lists of each shelf, as the kernel takes it.
struct ImageVoting::Plan {
  struct Launch {
    std::vector<ListOnDevice> lists;
    std::uint64_t postings = 0;
  };
  std::vector<Launch> launches;  // one for each shelf
  std::vector<Feature> features;
};

std::vector<VotingKernel> voting_kernels(const OpenClSession& session) {
  if (!session.device().has_doubles) return {};
  // kFour is faster by a sixth to two fifths on a CPU, kOne by 5 to 14 % on an H200 with a large
  // index.
  if (session.is_cpu()) return {VotingKernel::kFour, VotingKernel::kOne};
  return {VotingKernel::kOne, VotingKernel::kFour};
}

namespace {

VotingKernel selected(OpenClSession& session, std::size_t word_count, VotingKernel wanted) {
  if (!session.device().has_doubles) {
    throw Error(ErrorKind::kDevice, "voting: " + session.device().name + " has no doubles");
  }
  return select_variant(session, "voting", {{"words", word_count}}, voting_kernels(session),
                        wanted);
}

// A CPU's work-item takes a piece alone.
std::size_t group_items(const OpenClSession& session) {
  return session.is_cpu() ? 1 : kVoteGroupItems;
}

std::string options_for(OpenClSession& session, VotingKernel kernel) {
  return define("GROUP_ITEMS", group_items(session)) +
         define("POSTINGS", kernel == VotingKernel::kFour ? 4 : 1) +
         define("SELECT_ITEMS", kSelectItems) + define("SELECT_IMAGES", kSelectImages) +
         define("BINS", kBins) + (session.has_int64_atomics() ? " -DINT64_ATOMICS" : "");
}

LazyKernel kernel_of(OpenClSession& session, VotingKernel kernel, const std::string& name) {
  return {
      session, {"session/add_ulong.cl", "voting/voting.cl"}, name, options_for(session, kernel)};
}

}  // namespace

ImageVoting::ImageVoting(OpenClSession& session, const Index& index, VotingKernel kernel)
    : session_(session),
      kernel_(selected(session, index.word_count, kernel)),
      threshold_(index.weights.threshold),
      norms_(index.norms.begin(), index.norms.end()),
      shelf_postings_(std::min<std::uint64_t>(
          session.device().max_allocation_bytes / sizeof(std::uint64_t), kSeveral)),
      room_(index.postings),
      lists_(index.word_count),
      device_norms_(session.upload(index.norms)),
      device_weights_(session.upload<std::uint32_t>(index.weights.weights)),
      vote_(kernel_of(session, kernel_, "vote")),
      count_values_(kernel_of(session, kernel_, "count_values")),
      find_lowest_(kernel_of(session, kernel_, "find_lowest")),
      gather_(kernel_of(session, kernel_, "gather")) {
  require(norms_.size() <= kSeveral, "ImageVoting: takes at most 2^31 images");
  require(threshold_ <= kSignatureBits, "ImageVoting: the threshold is above 64 bits");
  if (index.shelf_postings > 0) shelf_postings_ = std::min(shelf_postings_, index.shelf_postings);
}

void ImageVoting::add(std::uint32_t word, std::span<const std::uint32_t> images,
                      std::span<const std::uint64_t> signatures, double idf_squared) {
  require(word >= next_word_ && word < lists_.size(), "ImageVoting: words must ascend");
  require(images.size() == signatures.size() && std::ranges::is_sorted(images) &&
              (images.empty() || images.back() < norms_.size()),
          "ImageVoting: images must ascend, with a signature each");
  require(images.size() <= room_, "ImageVoting: more postings than announced");
  next_word_ = std::size_t{word} + 1;
  const std::size_t size = images.size();
  if (size == 0) return;
  if (size > shelf_postings_) {
    throw DeviceOutOfMemory("voting: " + std::to_string(size) + " postings of word " +
                            std::to_string(word) + " do not fit a buffer of the device");
  }
  if (shelves_.empty() || shelves_.back().room - shelves_.back().size < size) {
    flush();
    Shelf shelf;
    shelf.room = std::min<std::uint64_t>(room_, shelf_postings_);
    shelf.signatures = session_.allocate(shelf.room * sizeof(std::uint64_t), CL_MEM_READ_WRITE);
    shelf.images = session_.allocate(shelf.room * sizeof(std::uint32_t), CL_MEM_READ_WRITE);
    shelves_.push_back(std::move(shelf));
  }
  Shelf& shelf = shelves_.back();
  lists_[word] = {to_uint(shelves_.size() - 1), to_uint(shelf.size), to_uint(size), idf_squared};
  staged_signatures_.insert(staged_signatures_.end(), signatures.begin(), signatures.end());
  for (std::size_t i = 0; i < size; ++i) {
    const bool several =
        (i > 0 && images[i - 1] == images[i]) || (i + 1 < size && images[i + 1] == images[i]);
    staged_images_.push_back(images[i] | (several ? kSeveral : 0));
  }
  shelf.size += size;
  room_ -= size;
  if (staged_images_.size() >= kStagedPostings) flush();
}

void ImageVoting::flush() {
  if (staged_images_.empty()) return;
  const Shelf& shelf = shelves_.back();
  const std::size_t first = shelf.size - staged_images_.size();
  session_.write<std::uint64_t>(shelf.signatures, staged_signatures_, first);
  session_.write<std::uint32_t>(shelf.images, staged_images_, first);
  staged_signatures_.clear();
  staged_images_.clear();
}

void ImageVoting::finish() {
  flush();
  staged_signatures_ = {};
  staged_images_ = {};
}

std::uint64_t ImageVoting::resident_bytes(std::uint64_t postings, std::size_t images) {
  return postings * kPostingBytes + images * sizeof(float);
}

std::vector<std::vector<VotedImage>> ImageVoting::vote(std::span<const VotingQuery> queries,
                                                       std::size_t count) {
  require(std::ranges::all_of(queries,
                              [](const VotingQuery& query) {
                                return std::ranges::is_sorted(query.features, {},
                                                              &VotingFeature::word);
                              }),
          "ImageVoting: features must be by word");
  std::vector<std::vector<VotedImage>> results(queries.size());
  if (count == 0 || norms_.empty()) return results;
  for_each_batch(queries.size(), kBatchQueries, [&](std::size_t first, std::size_t size) {
    vote_batch(queries.subspan(first, size), count, std::span(results).subspan(first, size));
  });
  return results;
}

// Sorts the features of all queries by word, then by query, by counting.
ImageVoting::Plan ImageVoting::plan_of(std::span<const VotingQuery> queries) const {
  Plan plan;
  plan.launches.resize(shelves_.size());
  const auto is_listed = [&](const VotingFeature& feature) {
    return feature.word < lists_.size() && lists_[feature.word].size > 0;
  };
  std::vector<std::uint32_t> ends(lists_.size() + 1, 0);  // by word + 1, then by word
  for (const VotingQuery& query : queries) {
    for (const VotingFeature& feature : query.features) {
      if (is_listed(feature)) ++ends[feature.word + 1];
    }
  }
  for (std::size_t word = 0; word < lists_.size(); ++word) ends[word + 1] += ends[word];
  plan.features.resize(ends.back());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::vector<VotingFeature>& features = queries[i].features;
    for (std::size_t f = 0; f < features.size(); ++f) {
      if (!is_listed(features[f])) continue;
      const bool last = f + 1 == features.size() || features[f + 1].word != features[f].word;
      plan.features[ends[features[f].word]++] = {features[f].signature,
                                                 i | (cl_ulong{last ? 1U : 0U} << 32U)};
    }
  }
  // Lists with much to compare come first, so that no group begins a long one at the end.
  const auto features_of = [&](std::size_t word) {
    return std::pair(word == 0 ? 0 : ends[word - 1], ends[word]);
  };
  std::array<std::vector<std::uint32_t>, 65> words;  // by the bits of the work
  for (std::size_t word = 0; word < lists_.size(); ++word) {
    const auto [first, end] = features_of(word);
    if (first == end) continue;
    const std::uint64_t work = std::uint64_t{lists_[word].size} * (end - first);
    words[std::bit_width(work)].push_back(to_uint(word));
  }
  for (auto same = words.rbegin(); same != words.rend(); ++same) {
    for (const std::uint32_t word : *same) {
      const List& list = lists_[word];
      const auto [first, end] = features_of(word);
      Plan::Launch& launch = plan.launches[list.shelf];
      launch.lists.push_back({list.first, list.first + list.size, first, end, list.idf_squared});
      launch.postings += list.size;
    }
  }
  return plan;
}

void ImageVoting::vote_batch(std::span<const VotingQuery> queries, std::size_t count,
                             std::span<std::vector<VotedImage>> results) {
  const std::size_t bytes = queries.size() * norms_.size() * sizeof(std::uint64_t);
  if (bytes > session_.device().max_allocation_bytes) {
    throw DeviceOutOfMemory("voting: the scores of " + std::to_string(queries.size()) +
                            " queries do not fit a buffer of the device");
  }
  work_.scores.reserve(session_, bytes);
  session_.clear(work_.scores.buffer, bytes);
  add_scores(plan_of(queries));
  if (count >= norms_.size() / kFewestImagesPerWanted) {
    for (std::size_t i = 0; i < queries.size(); ++i) results[i] = all_voted(i);
  } else {
    select(queries, count, results);
  }
}

void ImageVoting::add_scores(const Plan& plan) {
  work_.features.fill<Feature>(session_, plan.features);
  for (std::size_t i = 0; i < shelves_.size(); ++i) {
    const auto& [lists, postings] = plan.launches[i];
    if (lists.empty()) continue;
    work_.lists.fill<ListOnDevice>(session_, lists);
    const std::size_t pieces =
        std::clamp<std::size_t>(postings / (lists.size() * kPiecePostings), 1, kMostPieces);
    const Votes votes{to_uint(lists.size()), to_uint(pieces), threshold_, 0, norms_.size()};
    set_arguments(vote_.get(), shelves_[i].signatures, shelves_[i].images, work_.lists.buffer,
                  work_.features.buffer, device_weights_, votes, work_.scores.buffer);
    const std::size_t items = group_items(session_);
    session_.launch(vote_.get(), "voting_" + std::string(to_string(kernel_)),
                    {lists.size() * pieces * items}, {{items}});
  }
}

void ImageVoting::select(std::span<const VotingQuery> queries, std::size_t count,
                         std::span<std::vector<VotedImage>> results) {
  const std::size_t images = norms_.size();
  const std::size_t room = count + std::max(count, kSpareCandidates);
  const std::size_t chunks = parts(images, kSelectImages);
  const cl::NDRange groups{queries.size() * chunks * kSelectItems};
  std::vector<double> query_norms;
  for (const VotingQuery& query : queries) query_norms.push_back(query.norm);
  work_.query_norms.fill<double>(session_, query_norms);
  work_.bins.reserve(session_, queries.size() * kBins * sizeof(cl_uint));
  work_.lowest.reserve(session_, queries.size() * sizeof(cl_uint));
  work_.counts.reserve(session_, queries.size() * sizeof(cl_uint));
  work_.images.reserve(session_, queries.size() * room * sizeof(cl_uint));
  work_.candidate_scores.reserve(session_, queries.size() * room * sizeof(cl_ulong));
  session_.clear(work_.bins.buffer, queries.size() * kBins * sizeof(cl_uint));
  session_.clear(work_.counts.buffer, queries.size() * sizeof(cl_uint));
  set_arguments(count_values_.get(), work_.scores.buffer, device_norms_, work_.query_norms.buffer,
                to_uint(images), to_uint(chunks), work_.bins.buffer);
  session_.launch(count_values_.get(), "voting_count_values", groups, {{kSelectItems}});
  set_arguments(find_lowest_.get(), work_.bins.buffer, to_uint(count), work_.lowest.buffer);
  session_.launch(find_lowest_.get(), "voting_find_lowest", {queries.size() * kSelectItems},
                  {{kSelectItems}});
  set_arguments(gather_.get(), work_.scores.buffer, device_norms_, work_.query_norms.buffer,
                to_uint(images), to_uint(chunks), work_.lowest.buffer, to_uint(room),
                work_.counts.buffer, work_.images.buffer, work_.candidate_scores.buffer);
  session_.launch(gather_.get(), "voting_gather", groups, {{kSelectItems}});
  std::vector<cl_uint> counts(queries.size());
  session_.read<cl_uint>(work_.counts.buffer, counts);
  session_.view<cl_uint>(work_.images.buffer, queries.size() * room, [&](auto found) {
    session_.view<cl_ulong>(work_.candidate_scores.buffer, queries.size() * room, [&](auto scores) {
      for (std::size_t i = 0; i < queries.size(); ++i) {
        if (counts[i] > room) continue;
        results[i].resize(counts[i]);
        for (std::size_t c = 0; c < counts[i]; ++c) {
          results[i][c] = {found[i * room + c], scores[i * room + c]};
        }
      }
    });
  });
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (counts[i] > room) results[i] = all_voted(i);
  }
}

// Returns every image that may be a candidate for one query of the batch.
std::vector<VotedImage> ImageVoting::all_voted(std::size_t query) {
  std::vector<std::uint64_t> scores(norms_.size());
  const cl_ulong first = query * norms_.size();
  session_.read(work_.scores.buffer, std::span(scores), first);
  std::vector<VotedImage> voted;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > 0 && norms_[i] > 0) voted.push_back({to_uint(i), scores[i]});
  }
  return voted;
}

}  // namespace lookalike
