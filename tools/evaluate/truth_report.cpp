#include "tools/evaluate/truth_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "pipeline/answers.h"

namespace lookalike {
namespace {

// The groups of photos, worst first.
enum class Trouble { kWrongFirst, kSureButWrong, kUnsure, kMissed };

constexpr std::array<std::string_view, 4> kTroubleNames = {"wrong first", "sure but wrong",
                                                           "unsure", "missed"};

std::string_view name_of(Trouble trouble) {
  return kTroubleNames[static_cast<std::size_t>(trouble)];
}

// One photo with its answers.
struct Judged {
  const TruthQuery& query;
  const Answer& plain;
  const Answer& ranking;

  bool is_wrong(const Answer::Found& found) const { return !is_relevant(query, found.paths); }
  bool is_missed(const RelevantImage& image) const { return rank_of(image, plain) == 0; }
  std::ptrdiff_t missed() const {
    return std::ranges::count_if(query.relevant,
                                 [&](const RelevantImage& image) { return is_missed(image); });
  }

  std::optional<Trouble> trouble() const {
    const bool is_known = !query.relevant.empty();
    const auto& found = plain.found;
    if (is_known && !found.empty() && is_wrong(found.front())) return Trouble::kWrongFirst;
    if (std::ranges::any_of(
            found, [&](const Answer::Found& one) { return is_confirmed(one) && is_wrong(one); })) {
      return Trouble::kSureButWrong;
    }
    if (is_known && !found.empty() && !is_confirmed(found.front())) return Trouble::kUnsure;
    return missed() > 0 ? std::optional(Trouble::kMissed) : std::nullopt;
  }
};

// Returns an image to look at, in the form of a match.
Json match_of(const std::string& path, const Facts& facts, const std::optional<Quad>& quad) {
  const std::string name = text_of_path(path);
  return {{"id", name},      {"path", name},
          {"paths", {name}}, {"gone", Json::array()},
          {"facts", facts},  {"quad", quad ? quad_answer(*quad) : Json()}};
}

// Returns the images to look at: the first one, other confirmed ones that are wrong, and missed
// ones.
ReportItem item_of(const Judged& photo) {
  ReportItem item{{{"query", text_of_path(photo.query.path)}, {"matches", Json::array()}},
                  {photo_picture(photo.query.path, photo.query.path)}};
  const auto add = [&](const std::string& path, const Facts& facts,
                       const std::optional<Quad>& quad) {
    item.answer["matches"].push_back(match_of(path, facts, quad));
    item.pictures.push_back({text_of_path(path), path, kMatchSidePx});
  };
  const auto& found = photo.plain.found;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_wrong = photo.is_wrong(found[i]);
    if (i > 0 && !(is_wrong && is_confirmed(found[i]))) continue;
    add(found[i].paths.front(),
        {{"listed", fmt::format("{}, {}", i + 1, is_wrong ? "wrong" : "right")},
         {"decision", std::string(to_string(found[i].decision))},
         {"probability", fmt::format("{:.2f}", found[i].probability)}},
        found[i].quad);
  }
  for (const RelevantImage& image : photo.query.relevant) {
    if (!photo.is_missed(image)) continue;
    const std::size_t rank = rank_of(image, photo.ranking);
    add(image.path, {{"missed, rank", rank > 0 ? fmt::format("{}", rank) : "none"}}, image.quad);
  }
  return item;
}

std::string verdict_of(const Judged& photo, Trouble trouble) {
  const std::ptrdiff_t missed = photo.missed();
  std::string text = trouble == Trouble::kMissed ? "" : std::string(name_of(trouble));
  if (missed == 0) return text;
  if (!text.empty()) text += ", ";
  return text + fmt::format("{} of {} missed", missed, photo.query.relevant.size());
}

// Returns the number of queries that are this share of all `queries`; 0 if it is null.
std::int64_t number_of(const Json& share, const Json& queries) {
  return share.is_null() ? 0 : std::llround(share.get<double>() * queries.get<double>());
}

std::string decimals(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:.3f}", value.get<double>());
}

std::string threshold_text(const Json& threshold) {
  const double most = 100 * threshold.at("error_rate").get<double>();
  if (threshold.at("probability").is_null()) {
    return fmt::format("no probability leaves at most {:g} % of the images wrong", most);
  }
  return fmt::format(
      "from probability {:.4f} on, at most {:g} % of the images are wrong, and "
      "{:.0f} % of the right ones remain",
      threshold.at("probability").get<double>(), most, 100 * threshold.at("kept").get<double>());
}

}  // namespace

std::string truth_summary(const Json& measures) {
  const Json& plain = measures.at("plain");
  const Json& queries = measures.at("queries");
  const std::string milliseconds = fmt::format(
      "{:.0f} ms a photo, {:.0f} of them for its features",
      measures.at("extract_median_ms").get<double>() + measures.at("match_median_ms").get<double>(),
      measures.at("extract_median_ms").get<double>());
  return fmt::format(
      "photos       {} of something indexed, {} of nothing\n"
      "right first  {}, {} of them confirmed\n"
      "all right    mean average precision {}, in the whole ranking {}\n"
      "wrong        {} confirmed first; {} confirmed and {} listed a photo; {} of nothing "
      "confirmed\n"
      "threshold    {}\n"
      "time         {}\n",
      json_text(queries), json_text(measures.at("unknown_queries")),
      number_of(plain.at("recall_at_1"), queries),
      number_of(plain.at("recall_at_1_confirmed"), queries),
      decimals(plain.at("mean_average_precision")), decimals(measures.at("mean_average_precision")),
      json_text(plain.at("wrong_confirmed_first")), decimals(plain.at("wrong_confirmed")),
      decimals(plain.at("wrong_listed")), json_text(plain.at("unknown_confirmed")),
      threshold_text(measures.at("threshold")), milliseconds);
}

Report truth_report(std::span<const TruthQuery> queries, std::span<const Answer> plain,
                    std::span<const Answer> ranking) {
  require(queries.size() == plain.size() && queries.size() == ranking.size(),
          "truth_report: one answer per query is needed");
  std::array<std::vector<ReportItem>, kTroubleNames.size()> groups;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Judged photo{queries[i], plain[i], ranking[i]};
    const std::optional<Trouble> trouble = photo.trouble();
    if (!trouble) continue;
    ReportItem& item = groups[static_cast<std::size_t>(*trouble)].emplace_back(item_of(photo));
    item.answer["headline"] = verdict_of(photo, *trouble);
  }
  Report report{.title = "Answers to look at", .facts = {}, .items = {}};
  report.facts.emplace_back("photos", fmt::format("{}", queries.size()));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    report.facts.emplace_back(kTroubleNames[i], fmt::format("{}", groups[i].size()));
    std::ranges::move(groups[i], std::back_inserter(report.items));
  }
  return report;
}

}  // namespace lookalike
