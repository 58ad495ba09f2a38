#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tools/serve/http_server.h"

// The text of HTTP/1.1 (RFC 9112), read strictly: whatever two programs may read differently is
// refused. Functions throw HttpFault.
namespace lookalike {

// Why a request is refused.
class HttpFault : public std::runtime_error {
 public:
  HttpFault(HttpRefusal why, const std::string& what) : std::runtime_error(what), why_(why) {}
  HttpRefusal why() const { return why_; }

 private:
  HttpRefusal why_;
};

inline constexpr std::size_t kMaxHeadBytes = 32 << 10;
inline constexpr std::size_t kMaxHeaders = 100;
inline constexpr std::size_t kMaxParameters = 100;

// Returns the size of the head that `received` begins with: the request's line and headers, with
// the empty line that ends them. Returns nothing while the head is incomplete. Throws for a line
// that does not end with CRLF, for control characters, and beyond kMaxHeadBytes.
//   checked  bytes of `received` that an earlier call has looked at
std::optional<std::size_t> head_size(std::string_view received, std::size_t checked = 0);

struct RequestHead {
  HttpRequest request{};         // without its body
  std::uint64_t body_bytes = 0;  // 0 for a chunked body
  bool is_chunked = false;
  bool awaits_continue = false;  // the client sends the body after "100 Continue"
  bool takes_chunks = false;     // in an answer
  bool keeps_alive = false;      // another request may follow over the connection
};

// Parses a whole head. The host of a URL that has one becomes the header Host. Throws for names
// that are no tokens, continued lines, lengths that are not plain numbers, more than one length,
// more than kMaxHeaders and kMaxParameters, and broken %XX in the URL.
RequestHead parse_head(std::string_view head);

// Decodes a body in chunks. Extensions and trailers are dropped, and may be short alone.
class ChunkedBody {
 public:
  // Removes what it has read from the front of `received`, and passes content to add(). True at the
  // end of the body.
  bool read(std::string& received, const std::function<void(std::string_view)>& add);

 private:
  enum class State { kSize, kContent, kContentEnd, kTrailer, kEnd };
  bool read_line(std::string_view& rest);

  State state_ = State::kSize;
  std::uint64_t left_ = 0;  // bytes of this chunk
  std::size_t trailer_bytes_ = 0;
};

// Returns the head and body of an answer without a stream.
//   has_body  false for an answer to HEAD, which has the head alone
std::string answer_text(const HttpResponse& answer, bool keeps_alive, bool has_body);

// Returns the head of an answer with a stream, whose parts follow: in chunks, or until the
// connection closes.
std::string stream_head(const HttpResponse& answer, bool keeps_alive, bool in_chunks);
// Returns a part as a chunk. An empty one ends the body.
std::string chunk_text(std::string_view part);

}  // namespace lookalike
