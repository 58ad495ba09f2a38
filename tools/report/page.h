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

// Writes a page to a file: whole or not at all, in place of the one that was there. Throws
// Error(kStorage), also where a link, a folder or a device has the name.
void write_page(const std::string& html, const std::string& file);

}  // namespace lookalike
