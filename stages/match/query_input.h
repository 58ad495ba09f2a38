#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/image.h"
#include "config/options.h"
#include "stages/match/index_cache.h"
#include "stages/match/match.h"
#include "stages/match/refine/refiner.h"
#include "stages/match/shared_search.h"
#include "stages/match/vote/query_words.h"

namespace lookalike {

enum class Look : std::uint8_t { kFirst, kSecond };

// A photo or indexed image that is looked up, with the options of the answer. Reads each of its
// pictures once, when it is first wanted. Counts as a query in progress while it exists. For one
// thread, but for what was read before and for colours().
class QueryInput {
 public:
  // The photo must outlive it.
  //   is_compared  see IsCompared
  QueryInput(SharedSearch& shared, const Query& photo, const ReportOptions& report = {},
             IsCompared is_compared = {});
  QueryInput(SharedSearch& shared, const std::shared_ptr<const Record>& record,
             const ReportOptions& report = {});
  ~QueryInput() { --shared_.in_progress; }
  QueryInput(const QueryInput&) = delete;
  QueryInput& operator=(const QueryInput&) = delete;

  // Returns the words of a look; an indexed image has the same at both.
  IndexQuery words(Look look) const { return read_words_(look); }
  // Returns the picture to compare, or null if it cannot be read.
  const DecodedImage* picture();
  // Returns the pyramid of the picture, which must be readable.
  const Pyramid& pyramid();
  // False if nothing is to be compared in colour.
  bool has_colours() const { return read_colours_ != nullptr; }
  // Returns the picture in colour, empty if it cannot be read. There must be colours. Thread-safe.
  const ColourImage& colours(ColourSize size);

  const ReportOptions& report() const { return report_; }
  bool is_compared(const Match& match) const { return !is_compared_ || is_compared_(match); }

 private:
  SharedSearch& shared_;
  const ReportOptions report_;
  const IsCompared is_compared_;
  const std::function<IndexQuery(Look)> read_words_;
  const std::function<const DecodedImage*()> read_picture_;
  const std::function<std::shared_ptr<const ColourImage>(ColourSize)> read_colours_;
  std::optional<const DecodedImage*> picture_;  // unset before it is read
  std::optional<Pyramid> pyramid_;
  std::mutex reading_colours_;
  // By size; null before they are read.
  std::array<std::shared_ptr<const ColourImage>, kColourSizes> colours_;
};

}  // namespace lookalike
