#include "tools/lookalike/photo.h"

#include <utility>

namespace lookalike {

std::variant<Query, SkippedFile> load_photo(ExtractStage& extract, const std::string& path,
                                            const ExtractOptions& options,
                                            const ImagesOptions& limits) {
  auto decoded = decode_file(path, WantedSize(options), limits);
  if (auto* skipped = std::get_if<SkippedFile>(&decoded)) return std::move(*skipped);
  Query query{.image = std::get<DecodedImage>(std::move(decoded)), .features = {}};
  query.features = std::move(extract.run({&query.image, 1}).front().features);
  return query;
}

}  // namespace lookalike
