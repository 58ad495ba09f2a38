#include "tools/report/page.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "tools/serve/web_files.h"

namespace lookalike {
namespace {

// What charts need besides the style sheet of the page of lookalike serve.
constexpr const char* kChartStyle = R"css(
.charts { display: grid; gap: 28px 24px;
  grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); }
.charts h2 { margin-bottom: 6px; font-size: 16px; }
.charts span { color: var(--muted); font-weight: 400; }
.chart { display: block; width: 100%; height: auto; overflow: visible; }
.chart text { fill: var(--muted); font-size: 11px; text-anchor: middle; }
.chart .level { text-anchor: end; }
.chart .grid { stroke: var(--line); }
.chart :is(.first, .place) { fill: none; stroke: var(--accent); stroke-width: 2.5;
  stroke-linejoin: round; }
.chart .place { stroke: var(--sure); stroke-width: 1.5; stroke-dasharray: 5 4; }
.chart circle.first { fill: var(--accent); stroke: none; }
.key { margin: 0 0 20px; color: var(--muted); }
.key b:first-child { color: var(--accent); }
.key b:last-child { color: var(--sure); }
.number-cell { text-align: right; font-variant-numeric: tabular-nums; }
)css";

constexpr std::string_view kFirstLine = "<!DOCTYPE html>\n";
constexpr std::string_view kGenerator = "<meta name=\"generator\" content=\"lookalike ";

using Replacement = std::pair<char32_t, std::string_view>;
constexpr Replacement kEntities[] = {
    {U'&', "&amp;"}, {U'<', "&lt;"}, {U'>', "&gt;"}, {U'"', "&quot;"}, {U'\'', "&#39;"}};
constexpr Replacement kInScripts[] = {{U'<', "\\u003c"}};

// True for control characters and changes of writing direction.
bool is_invisible(char32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || value == 0x200E || value == 0x200F ||
         (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

std::string escaped(std::string_view text, std::span<const Replacement> replacements) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::size_t length = std::max<std::size_t>(point.length, 1);
    if (point.length == 0 || is_invisible(point.value)) {
      result += "\xEF\xBF\xBD";
    } else {
      const auto found = std::ranges::find(replacements, point.value, &Replacement::first);
      result += found == replacements.end() ? text.substr(0, length) : found->second;
    }
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace

std::string escape_html(std::string_view text) {
  return escaped(text, kEntities);
}

std::string escape_script(std::string_view json) {
  return escaped(json, kInScripts);
}

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

std::string facts_list(const Facts& facts) {
  std::string html = "<ul class=\"facts row\">";
  for (const auto& [name, value] : facts) {
    html += fmt::format("<li>{} <b>{}</b></li>", escape_html(name), escape_html(value));
  }
  return html + "</ul>";
}

std::string_view embedded_file(std::string_view path) {
  return std::ranges::find(web_files(), path, &WebFile::path)->content;
}

std::string page_start(std::string_view title, std::string_view scripts) {
  return fmt::format("{}<html lang=\"en\"><head><meta charset=\"utf-8\">\n{}" LOOKALIKE_VERSION
                     "\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "img-src data:; style-src 'unsafe-inline'; script-src {}\">\n"
                     "<title>{}</title>\n<style>{}{}</style></head>\n<body><main id=\"content\">\n",
                     kFirstLine, kGenerator, scripts, escape_html(title),
                     embedded_file("/style.css"), kChartStyle);
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format("{}<h1>{}</h1>\n{}</main></body></html>\n", page_start(title, "'none'"),
                     escape_html(title), body);
}

OutputKind page_kind() {
  return {"a page of lookalike", [](std::string_view start) {
            return start.starts_with(kFirstLine) && start.find(kGenerator) < start.find("<body");
          }};
}

}  // namespace lookalike
