#pragma once

#include "config/options.h"
#include "stages/decode/decode.h"
#include "storage/index_types.h"
#include "tools/serve/http_server.h"
#include "tools/serve/response.h"

// The photos that requests send, and the files of indexed images.
namespace lookalike {

// The name of a sent photo in answers.
inline constexpr const char* kSentPhoto = "photo";

// Returns the photo in the body, which may be a form. Throws Refused for a body without a photo
// and, before it is decoded, for a photo whose header declares more than serve.max_megapixels.
LoadedFile sent_photo(const HttpRequest& request, const RunConfig& config);

// Returns the limits of [images], with the lower of the two limits of megapixels.
ImagesOptions sent_photo_limits(const RunConfig& config);

// Reads a file of an image that still has the indexed content; other contents are not for clients.
// Throws Refused, status 404, if there is none.
LoadedFile file_of(const StoredImage& image, const ImagesOptions& limits);

// Returns the refusal for a sent photo, or an indexed image, that cannot be used. Messages of image
// libraries go only to the log.
Refused unusable(const SkippedFile& why);
Refused cannot_be_read(const SkippedFile& why);

}  // namespace lookalike
