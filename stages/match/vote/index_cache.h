#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "config/options.h"
#include "stages/decode/decode.h"
#include "stages/match/verify/verification.h"
#include "stages/match/vote/kept.h"
#include "storage/index_reader.h"

namespace lookalike {

// What queries read of an index, kept between them. Used from one thread.
class IndexCache {
 public:
  // The reader must outlive the cache, and must not be refreshed meanwhile. limits: of files.
  IndexCache(const IndexReader& index, const ImagesOptions& limits, std::size_t limit_bytes);

  std::shared_ptr<const WordPostings> postings(std::uint32_t word);
  std::shared_ptr<const Record> record(ImageId image);
  // The image's file, read again, its longest side at most PoseSharpener::kLongestSidePx. Nothing
  // when none of its paths leads to its content any more.
  std::shared_ptr<const std::optional<DecodedImage>> picture(const StoredImage& image);

 private:
  const IndexReader& index_;
  const ImagesOptions limits_;
  Kept<std::uint32_t, WordPostings> postings_;
  Kept<ImageId, Record> records_;
  Kept<ImageId, std::optional<DecodedImage>> pictures_;
};

}  // namespace lookalike
