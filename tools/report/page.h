#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/output_file.h"

// The frame and the building blocks of the HTML pages that commands write.
namespace lookalike {

// Escapes text for HTML, between tags and in quoted attributes. Bytes that are not UTF-8 and
// invisible characters (controls, changes of writing direction) become U+FFFD.
std::string escape_html(std::string_view text);

// The same for a path, which a browser may break behind each slash.
std::string path_html(std::string_view path);

std::string base64(std::span<const std::uint8_t> bytes);

// Names and values: "index", "photos.db".
using Facts = std::vector<std::pair<std::string, std::string>>;

// Formats the facts as an HTML list, escaped.
std::string facts_list(const Facts& facts);

// Returns a self-contained HTML page in which no script can run. The title is text, the body HTML.
std::string html_page(std::string_view title, std::string_view body);
// The same in two parts, for pages that are written piece by piece.
std::string page_start(std::string_view title);
std::string page_end();

// The kind of html_page()'s pages, recognised by their generator tag.
OutputKind page_kind();

}  // namespace lookalike
