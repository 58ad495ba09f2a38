#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace lookalike {

// Returns the data that a report embeds as "item", its head first, or as "pictures", by item.
inline std::vector<nlohmann::json> data_in(const std::string& html, const std::string& kind) {
  const std::string start = "<script type=\"application/json\" class=\"" + kind + "\">";
  std::vector<nlohmann::json> data;
  for (std::size_t at = html.find(start); at != std::string::npos; at = html.find(start, at)) {
    at += start.size();
    data.push_back(nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at)));
  }
  return data;
}

}  // namespace lookalike
