#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/output_file.h"

namespace lookalike {

// "index", "photos.db"
using Facts = std::vector<std::pair<std::string, std::string>>;

// The facts as a list, escaped.
std::string facts_list(const Facts& facts);

// An HTML page that needs nothing else and lets no script run. The title is text, the body HTML.
std::string html_page(std::string_view title, std::string_view body);

// The pages of html_page(), recognised by their generator tag.
OutputKind page_kind();

}  // namespace lookalike
