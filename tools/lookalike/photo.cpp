#include "tools/lookalike/photo.h"

#include <utility>

namespace lookalike {

std::variant<Query, SkippedFile> load_photo(ExtractStage& extract, const std::string& path,
                                            const ExtractOptions& options,
                                            const ImagesOptions& limits,
                                            const std::optional<Region>& region) {
  const WantedSize size(options);
  auto decoded =
      region ? decode_region(path, *region, size, limits) : decode_file(path, size, limits);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  Query query{.image = std::get<DecodedImage>(std::move(decoded)), .features = {}};
  query.features = std::move(extract.run({&query.image, 1}).front().features);
  return query;
}

}  // namespace lookalike
