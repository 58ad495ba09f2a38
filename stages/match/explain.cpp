#include "stages/match/explain.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/path_set.h"
#include "base/text.h"
#include "stages/match/decide/decision.h"
#include "stages/match/refine/colour.h"

namespace lookalike {
namespace {

std::string quoted(Decision decision) {
  return fmt::format("\"{}\"", to_string(decision));
}

bool has_features(const Explanation& why) {
  return why.query_features > 0 && why.match.image.feature_count > 0;
}

ExplainedStep features(const Explanation& why) {
  const StoredImage& image = why.match.image;
  std::string reason = fmt::format("{} in the photo, {} in the indexed image.", why.query_features,
                                   image.feature_count);
  if (image.blank) {
    reason += " The image is recorded as blank: only its very file finds it.";
  } else if (image.feature_count == 0) {
    reason += " The image shows too little detail: only its very file finds it.";
  }
  if (why.query_features == 0) reason += " The photo shows too little detail to be looked up.";
  return {"features", has_features(why), std::move(reason)};
}

ExplainedStep words(const Explanation& why) {
  if (!has_features(why)) return {"words", false, "None to compare."};
  return {"words", why.common_words > 0,
          fmt::format("{} in common, of {} of the photo and {} of the image.", why.common_words,
                      why.query_words, why.image_words)};
}

// "the first 100 are verified".
std::string verified_ranks(const Explanation& why) {
  return why.shortlist == 1 ? "the first is verified"
                            : fmt::format("the first {} are verified", why.shortlist);
}

std::string beyond_shortlist(const Explanation& why) {
  return fmt::format("rank {} by votes; only {}", *why.rank, verified_ranks(why));
}

// "1.2 interquartile ranges above".
std::string excess_text(double excess) {
  return fmt::format("{:.1f} interquartile ranges {} the median of those verified",
                     std::abs(excess), excess < 0 ? "below" : "above");
}

ExplainedStep votes(const Explanation& why) {
  if (why.in_rest) {
    return {
        "votes", true,
        fmt::format("{} by votes of the whole photo. The query found it by those of the part "
                    "that no other match covers.",
                    why.rank ? fmt::format("Rank {} of {}", *why.rank, counted(why.images, "image"))
                             : "No rank")};
  }
  if (!why.rank) {
    return {"votes", false,
            why.common_words == 0 ? "None: no word in common."
                                  : "None: no two signatures of a common word are near enough."};
  }
  const Evidence& evidence = why.by_features.evidence;
  if (!why.shortlisted) {
    return {"votes", false,
            fmt::format("Of {}: {}, so a query does not find it. It is verified here all the same.",
                        counted(why.images, "image"), beyond_shortlist(why))};
  }
  return {"votes", true,
          fmt::format("Rank {} of {} by votes; {}. Its votes are {:.2f} "
                      "times the median, {}.",
                      *why.rank, counted(why.images, "image"), verified_ranks(why),
                      evidence.votes_ratio, excess_text(evidence.votes_excess))};
}

ExplainedStep pairs(const Explanation& why) {
  const std::size_t needed = why.options.min_inliers;
  std::string reason;
  if (why.second_look && !why.in_rest) {
    reason =
        fmt::format("A second look with {} of the photo, since the first found no likely match. ",
                    counted(*why.second_look, "feature"));
  }
  reason += why.pairs.empty() ? "No feature of the photo is paired with one of the image."
                              : fmt::format(
                                    "{} of one word, one sign and near signatures; a pose needs at "
                                    "least {}.",
                                    counted(why.pairs.size(), "pair"), needed);
  return {"pairs", why.pairs.size() >= needed, std::move(reason)};
}

// "5 of 41 pairs agree on a pose"
std::string agreeing(std::size_t inliers, const Explanation& why) {
  return fmt::format("{} of {} {} on a pose", inliers, counted(why.pairs.size(), "pair"),
                     inliers == 1 ? "agrees" : "agree");
}

ExplainedStep pose(const Explanation& why) {
  const std::size_t needed = why.options.min_inliers;
  const PoseAttempt& attempt = why.attempt;
  if (why.by_features.has_pose()) {
    const Evidence& evidence = why.by_features.evidence;
    return {
        "pose", true,
        fmt::format(
            "{}, in {}; at least {} in {} places are needed.{}", agreeing(evidence.inliers, why),
            counted(evidence.effective_inliers, "place") + " of the image", needed, kMinCells,
            why.match.pose.mirrored ? " The image is seen in the mirrored photo." : "")};
  }
  std::string reason;
  if (why.pairs.size() < needed) {
    reason = fmt::format("No pose: {}, and at least {} are needed.",
                         counted(why.pairs.size(), "pair"), needed);
  } else if (why.agreeing_pairs < needed) {
    reason = fmt::format("No pose: {} of {} agree in turn and size, and at least {} are needed.",
                         why.agreeing_pairs, counted(why.pairs.size(), "pair"), needed);
  } else if (attempt.inliers < needed && attempt.implausible >= needed) {
    reason = fmt::format("No pose: {} of {} pairs agree, but on a view that no camera could have.",
                         attempt.implausible, why.pairs.size());
  } else if (attempt.inliers < needed) {
    reason =
        fmt::format("No pose: {}; at least {} are needed.", agreeing(attempt.inliers, why), needed);
  } else {
    reason =
        fmt::format("No pose: {}, but in {} of the image; at least {} are needed.",
                    agreeing(attempt.inliers, why), counted(attempt.cells, "place"), kMinCells);
  }
  return {"pose", false, std::move(reason)};
}

// Describes how far two pictures differ.
std::string difference_text(const PictureDifference& difference) {
  if (difference.shots.are_clear()) {
    return fmt::format(
        "They are two shots: {:.0f} % of the places have moved against the others, and both reach "
        "{:.1f} % beyond the rim of the other.",
        100 * difference.shots.moved, 100 * difference.shots.beyond);
  }
  if (!difference.is_seen()) {
    return fmt::format(
        "In full size, no cell differs by more than {:.2f} times what saving again explains, nor "
        "its colour by more than {:.2f} times; a person sees {:g} times.",
        difference.largest, difference.largest_of_colour, PictureDifference::kSeen);
  }
  if (difference.lacks_colours) return "One of them lacks colours that the other has.";
  return fmt::format(
      "In full size, {:.1f} % of the cells differ, by up to {:.1f} times what saving again "
      "explains, and their colours by up to {:.1f} times.",
      100 * difference.share, difference.largest, difference.largest_of_colour);
}

ExplainedStep refine(const Explanation& why) {
  const Evidence& evidence = why.match.evidence;
  const auto step = [](bool passed, std::string reason) {
    return ExplainedStep{"refine", passed, std::move(reason)};
  };
  if (evidence.identical) return step(true, "Equal: the photo is the indexed picture itself.");
  if (!why.match.has_pose()) return step(false, "Not compared: there is no pose.");
  if (why.options.refine_candidates == 0) {
    return step(false, "Not compared: match.refine_candidates is 0.");
  }
  if (!why.match.pose.moved_px && std::ranges::none_of(why.match.image.paths, is_path)) {
    return step(false, "Not compared: the indexed image was added without a file.");
  }
  if (!why.match.pose.moved_px) {
    return step(false,
                "Not compared: the indexed file cannot be read any more, or has changed; "
                "run `lookalike index`.");
  }
  if (!evidence.correlation)
    return step(false, "Nothing to compare: one of the two is flat there.");
  std::string reason =
      fmt::format("Correlation {:.3f} at the pose, whose corners moved by up to {:.2f} px to fit.",
                  *evidence.correlation, *why.match.pose.moved_px);
  if (evidence.detail) {
    reason += fmt::format(" Agreement in detail {:.3f}{}.", *evidence.detail,
                          *evidence.detail > 0 ? "" : ", which counts as 0");
  }
  if (evidence.difference) reason += ' ' + difference_text(*evidence.difference);
  if (evidence.colour) reason += fmt::format(" Agreement of the colours {:.3f}.", *evidence.colour);
  if (evidence.own_agreement) {
    reason += fmt::format(" Agreement where it differs from others of its print {:.3f}.",
                          *evidence.own_agreement);
  }
  if (!evidence.other_content.empty()) {
    reason += fmt::format(" Other strokes in {} on a page of the same print.",
                          counted(evidence.other_content.size(), "place"));
  }
  if (why.match.pose.part) reason += " All agreement lies in a part of the image.";
  return step(evidence.detail.value_or(*evidence.correlation) > 0, std::move(reason));
}

ExplainedStep probability(const Explanation& why) {
  const double value = why.match.probability;
  const double needed = why.options.same_probability;
  const auto step = [&](std::string reason) {
    return ExplainedStep{"probability", why.match.has_pose() && value >= needed, std::move(reason)};
  };
  if (why.match.evidence.identical) return step("1: the pixels are equal.");
  if (!why.match.has_pose()) return step("0: there is no pose.");
  const double logit =
      std::accumulate(why.terms.begin(), why.terms.end(), 0.0,
                      [](double sum, const EvidenceTerm& term) { return sum + term.product(); });
  return step(fmt::format("{:.3f}, the logistic function of {:.2f}; sure from {:g} on.", value,
                          logit, needed));
}

// Describes whether its votes alone make an image similar.
std::string votes_reason(const Evidence& evidence) {
  if (evidence.shortlist < kShortestListForVotes) {
    return fmt::format("votes among {} decide nothing, {} are needed",
                       counted(evidence.shortlist, "image"), kShortestListForVotes);
  }
  return fmt::format("its votes {}: {}, and {:g} are needed",
                     evidence.votes_excess >= kSimilarExcess ? "stand out" : "do not stand out",
                     excess_text(evidence.votes_excess), kSimilarExcess);
}

// Returns the reason for the decision about a match.
std::string decision_reason(const Match& match, const MatchOptions& options) {
  const double correlation = match.evidence.correlation.value_or(-1);
  switch (match.decision) {
    case Decision::kDuplicate:
      return fmt::format(
          "sure, each shows the other whole, the correlation {:.3f} is at least {:g}, and no "
          "difference is seen",
          correlation, options.duplicate_correlation);
    case Decision::kVariant:
      return "sure, and each shows the other whole, but a person sees a difference";
    case Decision::kSameObject:
      if (!match.evidence.correlation) return "sure; no duplicate, as no pixels were compared";
      return fmt::format(
          "sure; no duplicate, as {}",
          correlation >= options.duplicate_correlation
              ? std::string("one shows the other only in part")
              : fmt::format("the correlation is below {:g}", options.duplicate_correlation));
    case Decision::kPart:
      if (match.rival) {
        return fmt::format("sure, but the photo lacks what sets it apart from {}",
                           printable(match.rival->paths.front()));
      }
      if (match.pose.part) {
        return "sure, but only a small region agrees, and the rest of what both show differs";
      }
      if (has_other_content_in_print(match.evidence)) {
        return fmt::format(
            "sure, but the same form with other content: where it differs from others of its "
            "print, the photo agrees by {:.3f}",
            match.evidence.own_agreement.value_or(0));
      }
      return match.evidence.other_content.empty()
                 ? fmt::format(
                       "sure, but the colours of the same print are others: their "
                       "agreement {:.3f} is below {:g}",
                       match.evidence.colour.value_or(0), kContradictingColours)
                 : "sure, but the page has other content in the same print";
    case Decision::kSimilar:
      if (match.has_pose() && match.probability >= kSimilarProbability) {
        return fmt::format("not sure, but the probability {:.3f} is at least {:g}",
                           match.probability, kSimilarProbability);
      }
      return "not sure, but " + votes_reason(match.evidence);
    case Decision::kRelated:  // by itself it would be none, or a guess
    case Decision::kNone:
      break;
  }
  return (match.has_pose() ? fmt::format("the probability {:.3f} is below {:g}, and ",
                                         match.probability, kSimilarProbability)
                           : std::string("there is no pose, and ")) +
         votes_reason(match.evidence);
}

ExplainedStep decision(const Explanation& why) {
  return {
      "decision", why.match.decision >= Decision::kSimilar,
      fmt::format("{}: {}.", quoted(why.match.decision), decision_reason(why.match, why.options))};
}

// Describes how the neighbour graph leads to the image. Empty if it does not.
std::string how_related(const Match& judged) {
  if (judged.via.empty()) return {};
  std::string text = fmt::format(" The photo surely shows what {} shows",
                                 printable(judged.via.front().paths.front()));
  for (std::size_t i = 1; i < judged.via.size(); ++i) {
    text += fmt::format(", that shows what {} shows", printable(judged.via[i].paths.front()));
  }
  return text + ", and that shows what this image shows.";
}

// Describes what a surer match left of the features. Empty if none took any.
std::string taken_features(const Explanation& why) {
  if (!why.rival) return {};
  return fmt::format(
      " {} of its {} inliers are features of a surer match, {}: a feature shows one "
      "thing, so they do not count, and {} left for it.",
      why.rival->features, why.match.evidence.inliers, printable(path_of(why.rival->match)),
      why.judged->has_pose() ? counted(why.judged->evidence.inliers, "inlier") + " are"
                             : "no pose is");
}

std::string unlisted(const Explanation& why) {
  const Match& judged = *why.judged;
  if (is_reported(judged, why.options)) {  // see drop_guesses()
    return "Not listed: it has votes alone, which count only where nothing sure is found.";
  }
  std::string reason = fmt::format("Not listed: a query judges it {}; it lists {} and better",
                                   quoted(judged.decision), quoted(weakest_reported(why.options)));
  if (judged.probability < why.options.min_probability) {
    reason += fmt::format(", and a probability of {} or more", why.options.min_probability);
  }
  reason += '.';
  reason += taken_features(why);
  if (why.rival || judged.decision == why.match.decision) return reason;
  if (why.match.pose.moved_px && !judged.pose.moved_px) {
    reason += fmt::format(
        " It judges by features alone ({}): its pixels are compared only if it "
        "is among the first {} by features, or would be listed.",
        decision_reason(judged, why.options), why.options.refine_candidates);
  } else {
    reason += fmt::format(" There, {}.", decision_reason(judged, why.options));
  }
  return reason;
}

ExplainedStep answer(const Explanation& why) {
  const auto step = [](bool passed, std::string reason) {
    return ExplainedStep{"answer", passed, std::move(reason)};
  };
  if (why.answer_rank) {
    const std::uint32_t top = why.options.top;
    const std::string number =
        fmt::format("{}, number {} of {}, in place {}", quoted(why.judged->decision),
                    *why.answer_rank, why.total, why.judged->place);
    if (why.judged->place > top) {
      return step(false, fmt::format("Found, but not listed: {}; only the first {} listed.", number,
                                     top == 1 ? "place is" : fmt::format("{} places are", top)));
    }
    const std::string by_rival =
        why.judged->rival ? fmt::format(" It is {}.", decision_reason(*why.judged, why.options))
                          : "";
    return step(true, fmt::format("Listed: {}.{}{}{}", number, by_rival, how_related(*why.judged),
                                  taken_features(why)));
  }
  if (why.judged) return step(false, unlisted(why));
  if (!why.rank) return step(false, "Not found: it got no votes, so the query does not verify it.");
  std::string reason = fmt::format("Not found: {}.", beyond_shortlist(why));
  if (is_reported(why.match, why.options)) {
    reason += fmt::format(
        " Verified, it would be {}; a query verifies it with match.shortlist = {} "
        "or more.",
        quoted(why.match.decision), *why.rank);
  } else {
    reason += " Verification would not have found it either.";
  }
  return step(false, std::move(reason));
}

}  // namespace

std::vector<ExplainedStep> steps_of(const Explanation& explanation) {
  return {features(explanation),    words(explanation),    votes(explanation),
          pairs(explanation),       pose(explanation),     refine(explanation),
          probability(explanation), decision(explanation), answer(explanation)};
}

}  // namespace lookalike
