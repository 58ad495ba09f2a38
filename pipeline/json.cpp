#include "pipeline/json.h"

#include <array>

namespace lookalike {
namespace {

// Follows a text, which need not be JSON, from one structural character to the next: as far as a
// parser accepts it, both see the same values. nlohmann's parser has no limits of its own, and with
// a callback it takes time by the square of a list's length (3.11).
class JsonScan {
 public:
  explicit JsonScan(std::size_t most_values) : most_values_(most_values) {}

  bool keeps_limits(std::string_view text) {
    std::size_t token = 0;  // where the last one began or ended
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (i - token > kMostJsonTokenBytes) return false;
      if (c == '"') {
        is_quoted = !is_quoted;
      } else if (is_quoted) {
        if (c == '\\') ++i;
        continue;
      } else if (c == '[' || c == '{') {
        if (!open(c == '{')) return false;
      } else if (c == ']' || c == '}') {
        if (depth_ > 0) --depth_;
      } else if (c == ',') {
        if (!add_value()) return false;
      } else {
        continue;
      }
      token = i;
    }
    return text.size() - token <= kMostJsonTokenBytes + 1;
  }

 private:
  struct Container {
    bool is_object = false;
    std::size_t values = 0;
  };

  bool open(bool is_object) {
    if (depth_ == kMostJsonDepth || ++values_ > most_values_) return false;
    containers_.at(depth_++) = {is_object, 1};
    return true;
  }

  bool add_value() {
    if (depth_ == 0) return true;  // no JSON
    Container& holding = containers_.at(depth_ - 1);
    ++holding.values;
    return ++values_ <= most_values_ && (!holding.is_object || holding.values <= kMostJsonMembers);
  }

  std::size_t most_values_;
  std::size_t values_ = 0;
  std::size_t depth_ = 0;
  std::array<Container, kMostJsonDepth> containers_{};
};

}  // namespace

std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json with_schema(const Json& json) {
  Json result = {{"schema", kJsonSchema}};
  result.update(json);
  return result;
}

template <typename JsonType>
JsonType parse_json(std::string_view text, std::size_t most_values) {
  if (!JsonScan(most_values).keeps_limits(text)) {
    return JsonType(JsonType::value_t::discarded);
  }
  return JsonType::parse(text, nullptr, false);
}

template nlohmann::json parse_json(std::string_view text, std::size_t most_values);
template nlohmann::ordered_json parse_json(std::string_view text, std::size_t most_values);

}  // namespace lookalike
