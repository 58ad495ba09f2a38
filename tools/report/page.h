#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lookalike {

// "index", "photos.db"
using Facts = std::vector<std::pair<std::string, std::string>>;

// The facts as a list, escaped.
std::string facts_list(const Facts& facts);

// An HTML page that needs nothing else and lets no script run. The title is text, the body HTML.
std::string html_page(std::string_view title, std::string_view body);

// Writes a page to a file, replacing it. Throws Error(kStorage).
void write_page(const std::string& html, const std::string& file);

}  // namespace lookalike
