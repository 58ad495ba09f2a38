#pragma once

#include <span>
#include <string_view>

namespace lookalike {

// A file embedded in the program: the page, the description of the API, the schemas of answers, and
// the script of reports.
struct WebFile {
  std::string_view path;  // in its URL: "/style.css"; without a slash if it is not served
  std::string_view content_type;
  std::string_view content;
};

std::span<const WebFile> web_files();

}  // namespace lookalike
