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

// Escapes JSON for a <script> element. The same bytes and characters become U+FFFD.
std::string escape_script(std::string_view json);

std::string base64(std::span<const std::uint8_t> bytes);

// Names and values: "index", "photos.db".
using Facts = std::vector<std::pair<std::string, std::string>>;

// Formats the facts as an HTML list, escaped.
std::string facts_list(const Facts& facts);

// Returns a self-contained HTML page in which no script can run. The title is text, the body HTML.
std::string html_page(std::string_view title, std::string_view body);

// Returns the beginning of a self-contained page, up to that of its <main>.
//   scripts  those that may run, as sources of a Content-Security-Policy
std::string page_start(std::string_view title, std::string_view scripts);

// Returns a file of the page of lookalike serve, or of reports, which must exist.
std::string_view embedded_file(std::string_view path);

// The kind of html_page()'s pages, recognised by their generator tag.
OutputKind page_kind();

}  // namespace lookalike
