#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "stages/decode/decode.h"
#include "storage/index_types.h"
#include "tools/serve/http_server.h"
#include "tools/serve/response.h"

// The photos that requests send, and the files of indexed images.
namespace lookalike {

// A photo that a request sends.
struct SentPhoto {
  std::string name;        // of its file, without folders; "photo" if the client gives none
  std::string_view bytes;  // part of the request's body
};

// Returns the photos in the body: those of a form, or the body itself. Throws Refused for a body
// without a photo and for more than 1,000 photos.
std::vector<SentPhoto> sent_photos(const HttpRequest& request);

// Returns the only photo in the body. Throws Refused as sent_photos(), and for several photos.
SentPhoto sent_photo(const HttpRequest& request);

// Returns a photo to decode. Throws Refused for an empty one and, before it is decoded, for one
// whose header declares more than serve.max_megapixels.
LoadedFile loaded_photo(const SentPhoto& photo, const RunConfig& config);

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
