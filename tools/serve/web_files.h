#pragma once

#include <span>
#include <string_view>

namespace lookalike {

// A file embedded in the program: the page, the description of the API, the schemas of answers.
struct WebFile {
  std::string_view path;  // in its URL: "/style.css"
  std::string_view content_type;
  std::string_view content;
};

std::span<const WebFile> web_files();

}  // namespace lookalike
