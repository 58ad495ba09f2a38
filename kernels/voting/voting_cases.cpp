#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "base/random.h"
#include "base/signature.h"
#include "kernels/cases.h"
#include "kernels/voting/voting.h"

namespace lookalike {
namespace {

struct Size {
  std::size_t images;
  std::size_t words;
  std::size_t queries = 64;
  std::size_t features = 1000;  // per image and per query
  std::size_t count = 100;      // images wanted per query
  std::uint32_t threshold = 24;
  std::size_t shelf_postings = 0;
};

constexpr std::size_t kWordsPerFeature = 3;

CaseSizes<Size> sizes_for(const OpenClSession& session) {
  CaseSizes<Size> sizes = {.simulator = {{40, 7, 2, 10, 5}},
                           .self_test = {{500, 64, 3, 100, 40, 24, 20'000}},
                           .test = {{1, 1, 1, 0, 1},
                                    {1, 1, 1, 3, 1},
                                    {30, 7, 0, 5, 3},
                                    {30, 7, 65, 5, 3, 64},
                                    {70, 3, 2, 300, 10, 30, 9000},
                                    {5000, 20, 3, 20, 100, 24},
                                    {5000, 20, 3, 20, 100, 0},
                                    {5000, 20, 2, 20, 5000, 24},
                                    {9000, 5, 2, 1, 1, 64}},
                           .quick = {{2000, 64, 2, 100}},
                           .tuning = {{65'536, 16'384, 64}},
                           .full = {{65'536, 16'384, 1}, {65'536, 16'384, 64}}};
  if (session.is_cpu()) {
    sizes.tuning = {{4096, 4096, 8}};
    sizes.full = {{4096, 4096, 1}, {4096, 4096, 8}};
  } else if (session.device().global_memory_bytes >= std::uint64_t{24} << 30U) {
    // An index of a million images, as Matcher searches it: 3,000 images per query.
    sizes.full.push_back({1'000'000, 65'536, 1, 1000, 3000});
    sizes.full.push_back({1'000'000, 65'536, 64, 1000, 3000});
  }
  return sizes;
}

// Lists in the manner of a real index, made anew whenever they are wanted: a million images with a
// thousand features take 12 GB. The frequencies of words, 1.3 postings of a word and image, and 4.3
// % of a list's signatures within 24 bits of a feature come from DVD covers, museum pieces and
// paintings with 16,384 words.
struct Inputs {
  explicit Inputs(const Size& wanted) : size(wanted), weights(voting_weights(wanted.threshold)) {
    Random random(1);
    for (std::size_t word = 0; word < size.words; ++word) {
      // The share of words that are more frequent, and how much more so than the mean.
      static constexpr std::pair<double, double> kFrequencies[] = {
          {0, 11},      {0.001, 4.5}, {0.01, 2.7}, {0.1, 1.73},   {0.25, 1.35},
          {0.5, 0.956}, {0.75, 0.57}, {0.9, 0.25}, {0.99, 0.034}, {1, 0}};
      const double share = random.uniform();
      const auto* after = std::begin(kFrequencies) + 1;
      while (after->first < share) ++after;
      const auto [from, high] = *(after - 1);
      const auto [to, low] = *after;
      frequencies.push_back(high + (low - high) * (share - from) / (to - from));
      total += frequencies.back();
    }
    for (std::size_t image = 0; image < size.images; ++image) {
      // Some images have no norm, like removed ones.
      norms.push_back(image % 17 == 5 ? 0.0F : static_cast<float>(random.between(20, 40)));
    }
    for (std::size_t i = 0; i < size.queries; ++i) queries.push_back(query(i));
  }

  struct Postings {
    std::vector<std::uint32_t> images;
    std::vector<std::uint64_t> signatures;
    double idf_squared = 0;
  };

  // Makes about as many postings as the word's share of all.
  Postings postings(std::size_t word) const {
    Postings made;
    const double wanted =
        static_cast<double>(size.images * size.features) * frequencies[word] / total;
    std::uint64_t state = word * 0x9E3779B97F4A7C15 + 1;
    if (wanted < 1) return made;
    const double gap = 2 * static_cast<double>(size.images) * kPostingsPerRun / wanted;
    const auto longest_gap = static_cast<std::uint64_t>(std::max(1.0, gap * 0x1p16));
    std::uint64_t at = next(state) % longest_gap;  // in 1/65536 of an image
    std::size_t images = 0;
    while (at >> 16U < size.images) {
      made.images.push_back(static_cast<std::uint32_t>(at >> 16U));
      made.signatures.push_back(signature(word, state));
      if (next(state) % 256 < kMoreOf256) continue;  // another of the same image
      const std::uint64_t image = at >> 16U;
      at += next(state) % longest_gap;
      if (at >> 16U == image) at = (image + 1) << 16U;
      ++images;
    }
    const double idf = std::log(1 + (static_cast<double>(size.images) + 0.5) /
                                        (static_cast<double>(images) + 0.5));
    made.idf_squared = idf * idf;
    return made;
  }

  // Calls visit(first, lists) for the words from `first` on, some hundred at a time, in order.
  // Makes the lists on all cores.
  using Visit = std::function<void(std::size_t first, std::span<const Postings> lists)>;
  void for_each_lists(const Visit& visit) const {
    constexpr std::size_t kAtOnce = 512;
    std::vector<Postings> made(kAtOnce);
    for (std::size_t first = 0; first < size.words; first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, size.words - first);
      parallel_for(count, core_count(), [&](std::size_t i) { made[i] = postings(first + i); });
      visit(first, std::span(made).first(count));
    }
  }

  // Returns the number of postings in the lists of the queries, each list once.
  double listed() const {
    std::vector<bool> wanted(size.words);
    for (const VotingQuery& query : queries) {
      for (const VotingFeature& feature : query.features) wanted[feature.word] = true;
    }
    double share = 0;
    for (std::size_t word = 0; word < size.words; ++word)
      share += wanted[word] ? frequencies[word] : 0;
    return static_cast<double>(size.images * size.features) * share / total;
  }

  Size size;
  std::vector<double> frequencies;  // of words, relative
  double total = 0;
  std::vector<float> norms;
  VotingWeights weights;
  std::vector<VotingQuery> queries;

 private:
  static constexpr double kPostingsPerRun = 1.3;
  static constexpr std::uint64_t kMoreOf256 = 59;  // 1 - 1 / 1.3
  static constexpr std::uint64_t kAlikeOf256 = 40;

  // Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016.
  static std::uint64_t next(std::uint64_t& state) {
    state ^= state >> 12U;
    state ^= state << 25U;
    state ^= state >> 27U;
    return state * 0x2545F4914F6CDD1D;
  }

  // Makes some of a word's features alike: a quarter of their bits differ from the word's.
  static std::uint64_t signature(std::size_t word, std::uint64_t& state) {
    std::uint64_t flips = next(state);
    if (next(state) % 256 < kAlikeOf256) flips &= next(state);
    return word * 0xD6E8FEB86659FD93 ^ flips;
  }

  VotingQuery query(std::size_t number) const {
    VotingQuery made;
    std::uint64_t state = number + 12345;
    // Frequent words are more likely.
    while (made.features.size() < size.features * kWordsPerFeature) {
      const std::size_t word = next(state) % size.words;
      const double chance = static_cast<double>(next(state) >> 11U) * 0x1p-53;
      if (chance * 11 > frequencies[word]) continue;
      made.features.push_back({static_cast<std::uint32_t>(word), signature(word, state)});
    }
    std::ranges::stable_sort(made.features, {}, &VotingFeature::word);
    made.norm = 0x1p20 * (40 + static_cast<double>(number));
    return made;
  }
};

using Ranking = std::vector<std::tuple<double, std::uint32_t, std::uint64_t>>;

// Returns value, image and score of the best `count` and all that tie with the last, best first.
Ranking ranking_of(const std::vector<VotedImage>& voted, const VotingQuery& query,
                   const std::vector<float>& norms, std::size_t count) {
  Ranking ranking;
  for (const VotedImage& each : voted) {
    const double value = static_cast<double>(each.score) / (query.norm * double{norms[each.image]});
    ranking.emplace_back(-value, each.image, each.score);
  }
  std::ranges::sort(ranking);
  if (ranking.size() <= count) return ranking;
  const double last = std::get<0>(ranking[count - 1]);
  std::erase_if(ranking, [&](const auto& each) { return std::get<0>(each) > last; });
  return ranking;
}

std::uint64_t vote_of(double idf_squared, std::uint64_t count, std::uint64_t weight) {
  const auto sum = static_cast<double>(weight);
  const double damped = count == 1 ? sum : sum / std::sqrt(static_cast<double>(count));
  return static_cast<std::uint64_t>(std::llround(idf_squared * damped));
}

// Adds the scores of one query with these features of the list's word.
void add_scores(const Inputs::Postings& list, std::span<const VotingFeature> features,
                const VotingWeights& weights, std::vector<std::uint64_t>& scores) {
  for (std::size_t first = 0; first < list.images.size();) {
    std::uint64_t count = 0;
    std::uint64_t weight = 0;
    std::size_t end = first;
    for (; end < list.images.size() && list.images[end] == list.images[first]; ++end) {
      for (const VotingFeature& feature : features) {
        const unsigned distance = hamming_distance(feature.signature, list.signatures[end]);
        if (distance > weights.threshold) continue;
        ++count;
        weight += weights.weights[distance];
      }
    }
    if (count > 0) scores[list.images[first]] += vote_of(list.idf_squared, count, weight);
    first = end;
  }
}

// Ranks image by image, as the method is defined.
std::vector<Ranking> voting_reference(const Inputs& inputs) {
  const std::size_t images = inputs.size.images;
  std::vector<std::vector<std::uint64_t>> scores(inputs.queries.size(),
                                                 std::vector<std::uint64_t>(images));
  inputs.for_each_lists([&](std::size_t first, std::span<const Inputs::Postings> lists) {
    parallel_for(inputs.queries.size(), core_count(), [&](std::size_t q) {
      for (std::size_t i = 0; i < lists.size(); ++i) {
        const auto same_word = std::ranges::equal_range(inputs.queries[q].features, first + i, {},
                                                        &VotingFeature::word);
        if (same_word.empty()) continue;
        add_scores(lists[i], same_word, inputs.weights, scores[q]);
      }
    });
  });
  std::vector<Ranking> rankings;
  for (std::size_t q = 0; q < inputs.queries.size(); ++q) {
    std::vector<VotedImage> voted;
    for (std::size_t i = 0; i < images; ++i) {
      if (scores[q][i] > 0 && inputs.norms[i] > 0) {
        voted.push_back({static_cast<std::uint32_t>(i), scores[q][i]});
      }
    }
    rankings.push_back(ranking_of(voted, inputs.queries[q], inputs.norms, inputs.size.count));
  }
  return rankings;
}

std::string compare(const Inputs& inputs, const std::vector<std::vector<VotedImage>>& found) {
  const std::vector<Ranking> expected = voting_reference(inputs);
  if (found.size() != expected.size()) return "not an answer for each query";
  for (std::size_t q = 0; q < found.size(); ++q) {
    const Ranking ranking =
        ranking_of(found[q], inputs.queries[q], inputs.norms, inputs.size.count);
    if (ranking == expected[q]) continue;
    return "query " + std::to_string(q) + " ranks " + std::to_string(ranking.size()) +
           " images other than the " + std::to_string(expected[q].size()) + " expected";
  }
  return "";
}

CaseRun prepare(OpenClSession& session, const Inputs& inputs, VotingKernel kernel) {
  // Lists are of about the length that is wanted.
  const ImageVoting::Index index{inputs.norms, inputs.weights, inputs.size.words,
                                 inputs.size.images * inputs.size.features * 5 / 4 + 1000,
                                 inputs.size.shelf_postings};
  const auto voting = std::make_shared<ImageVoting>(session, index, kernel);
  inputs.for_each_lists([&](std::size_t first, std::span<const Inputs::Postings> lists) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      voting->add(static_cast<std::uint32_t>(first + i), lists[i].images, lists[i].signatures,
                  lists[i].idf_squared);
    }
  });
  voting->finish();
  return run_of([=, &inputs] { return voting->vote(inputs.queries, inputs.size.count); },
                [&inputs](const auto& found) { return compare(inputs, found); });
}

}  // namespace

std::vector<KernelCase> voting_cases(OpenClSession& session, CaseScale scale) {
  std::vector<KernelCase> cases;
  if (voting_kernels(session).empty()) return cases;
  for (const Size& size : sizes_for(session).at(scale)) {
    KernelCase problem{
        .kernel = "voting",
        .sizes = {{"words", size.words}},
        .more_sizes = {{"images", size.images},
                       {"features", size.features},
                       {"queries", size.queries}},
        .unit = WorkUnit::kReadBytes,
        // The signatures of each list that the batch reads, once.
        .amount = scale < CaseScale::kQuick ? 0 : Inputs(size).listed() * sizeof(std::uint64_t)};
    cases.push_back(with_variants(
        std::move(problem), session, voting_kernels(session), [=] { return Inputs(size); },
        prepare));
  }
  return cases;
}

}  // namespace lookalike
