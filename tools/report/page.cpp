#include "tools/report/page.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace lookalike {
namespace {

// Follows the reader's system, light or dark.
constexpr const char* kStyleSheet = R"css(
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #1b1f24; --muted: #667080;
  --line: #e3e6ea; --soft: #f0f2f5; }
@media (prefers-color-scheme: dark) { :root { --page: #101318; --card: #191d24; --text: #e8eaee;
  --muted: #98a2b3; --line: #2a303a; --soft: #222833; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 40px 24px 64px; }
h1 { margin: 0 0 4px; font-size: 28px; letter-spacing: -0.02em; }
h2 { margin: 0; font-size: 18px; overflow-wrap: anywhere; }
h3 { margin: 0; font-size: 15px; overflow-wrap: anywhere; }
.facts { margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none;
  color: var(--muted); overflow-wrap: anywhere; }
.facts b { color: var(--text); font-weight: 600; font-variant-numeric: tabular-nums; }
.summary { width: 100%; margin: 28px 0 0; border-collapse: collapse; }
.summary td, .summary th { padding: 8px 12px 8px 0; border-bottom: 1px solid var(--line);
  text-align: left; overflow-wrap: anywhere; }
.summary .step { white-space: nowrap; overflow-wrap: normal; }
.summary th { color: var(--muted); font-size: 13px; font-weight: 500; }
.summary a { color: inherit; }
.summary .small { width: 72px; height: 54px; margin-right: 12px; vertical-align: middle; }
section { margin-top: 28px; padding: 24px; background: var(--card); border: 1px solid var(--line);
  border-radius: 14px; }
.path { color: var(--muted); font-size: 13px; overflow-wrap: anywhere; }
.heading { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: center;
  justify-content: space-between; margin-bottom: 18px; }
.verdict { padding: 3px 12px; border-radius: 99px; background: var(--soft); font-size: 13px;
  font-weight: 600; white-space: nowrap; }
.found { background: #30d15826; color: #1c8c3c; }
.failed { background: #ff453a26; color: #d70015; }
@media (prefers-color-scheme: dark) { .found { color: #4ade80; } .failed { color: #ff7a70; } }
.columns { display: grid; grid-template-columns: minmax(0, 1.75fr) minmax(0, 1fr); gap: 24px; }
@media (max-width: 760px) { .columns { grid-template-columns: minmax(0, 1fr); } }
.figure { display: block; max-width: 100%; width: auto; height: auto; border-radius: 8px; }
.photo .figure { width: 100%; max-height: 680px; background: var(--soft); }
.objects { display: grid; gap: 20px; align-content: start; }
.object { display: grid; gap: 8px; }
.object .figure { max-height: 240px; }
.object-name { display: flex; gap: 10px; align-items: flex-start; }
.chip { flex: none; min-width: 22px; padding: 0 6px; border-radius: 99px; color: #fff;
  font-size: 13px; font-weight: 700; line-height: 22px; text-align: center;
  text-shadow: 0 0 2px #000a; }
.nothing { margin: 0; color: var(--muted); }
.missing { padding: 20px; border-radius: 8px; background: var(--soft); color: var(--muted); }
details { margin-top: 16px; }
summary { cursor: pointer; color: var(--muted); font-size: 14px; }
details .figure { margin-top: 12px; }
.halo, .outline { fill: none; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
.halo { stroke: #000; stroke-opacity: 0.55; stroke-width: 6; }
.outline { stroke-width: 3; }
.dot { stroke: #000; stroke-opacity: 0.45; stroke-width: 0.7; vector-effect: non-scaling-stroke; }
.join { stroke-width: 1.2; stroke-opacity: 0.75; vector-effect: non-scaling-stroke; }
.badge { stroke: #fff; stroke-width: 2; vector-effect: non-scaling-stroke; }
.number { fill: #fff; font-weight: 700; text-anchor: middle; dominant-baseline: central;
  paint-order: stroke; stroke: #0006; stroke-width: 2; vector-effect: non-scaling-stroke; }
.charts { display: grid; gap: 28px 24px;
  grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); }
.charts h3 { margin-bottom: 6px; }
.charts span { color: var(--muted); font-weight: 400; }
.chart { display: block; width: 100%; height: auto; overflow: visible; }
.chart text { fill: var(--muted); font-size: 11px; text-anchor: middle; }
.chart .level { text-anchor: end; }
.grid { stroke: var(--line); }
.first, .place { fill: none; stroke: #0a84ff; stroke-width: 2.5; stroke-linejoin: round; }
.place { stroke: #30a14e; stroke-width: 1.5; stroke-dasharray: 5 4; }
circle.first { fill: #0a84ff; stroke: none; }
.key { margin: 0 0 20px; color: var(--muted); font-size: 14px; }
.key b:first-child { color: #0a84ff; }
.key b:last-child { color: #30a14e; }
.summary .number-cell { text-align: right; font-variant-numeric: tabular-nums; }
.group { content-visibility: auto; contain-intrinsic-size: auto 80px; }
.group > details { margin: 0; }
.group > details > summary { margin: 0; color: var(--text); }
.group > details[open] > summary { margin-bottom: 18px; }
.group > details > summary h2::before { content: "\25B8  "; color: var(--muted); }
.group > details[open] > summary h2::before { content: "\25BE  "; }
.sheet { display: flex; flex-wrap: wrap; gap: 18px; align-items: flex-start; }
.sheet figure { width: 200px; margin: 0; font-size: 13px; overflow-wrap: anywhere; }
.sheet .figure { width: auto; max-width: 198px; max-height: 198px; border: 3px solid transparent; }
.sheet .keep .figure { border-color: #30a14e; }
.sheet .go .figure { border-color: #d9a200; }
.compare { position: relative; width: var(--width); margin-top: 12px; }
.compare svg { display: block; width: var(--width); height: auto; }
.over { position: absolute; inset: 0 auto 0 0; width: 50%; max-width: 100%; overflow: hidden;
  resize: horizontal; border-right: 2px solid #fff; box-shadow: 1px 0 0 #0008; }
.lines { position: absolute; inset: 0; pointer-events: none; }
.at0:checked ~ .compare .over { width: 0 !important; }
.at25:checked ~ .compare .over { width: 25% !important; }
.at75:checked ~ .compare .over { width: 75% !important; }
.at100:checked ~ .compare .over { width: 100% !important; }
@keyframes flicker { 50% { opacity: 0; } }
.flicker:checked ~ .compare .over { width: 100% !important; resize: none;
  animation: flicker 1.2s steps(1) infinite; }
footer { margin-top: 28px; color: var(--muted); font-size: 13px; }
)css";

constexpr std::string_view kFirstLine = "<!DOCTYPE html>\n";
constexpr std::string_view kGenerator = "<meta name=\"generator\" content=\"lookalike ";

constexpr std::pair<char32_t, std::string_view> kEntities[] = {
    {U'&', "&amp;"}, {U'<', "&lt;"}, {U'>', "&gt;"}, {U'"', "&quot;"}, {U'\'', "&#39;"}};

// True for control characters and changes of writing direction.
bool is_invisible(char32_t value) {
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || value == 0x200E || value == 0x200F ||
         (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::size_t length = std::max<std::size_t>(point.length, 1);
    if (point.length == 0 || is_invisible(point.value)) {
      result += "\xEF\xBF\xBD";
    } else {
      const auto* entity =
          std::ranges::find(kEntities, point.value, [](auto& e) { return e.first; });
      result += entity == std::end(kEntities) ? text.substr(0, length) : entity->second;
    }
    text.remove_prefix(length);
  }
  return result;
}

std::string path_html(std::string_view path) {
  std::string html;
  for (const char c : escape_html(path)) {
    html += c;
    if (c == '/') html += "<wbr>";
  }
  return html;
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
  std::string html = "<ul class=\"facts\">";
  for (const auto& [name, value] : facts) {
    html += fmt::format("<li>{} <b>{}</b></li>", escape_html(name), escape_html(value));
  }
  return html + "</ul>";
}

std::string page_start(std::string_view title) {
  return fmt::format("{2}<html lang=\"en\"><head><meta charset=\"utf-8\">\n{3}" LOOKALIKE_VERSION
                     "\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "img-src data:; style-src 'unsafe-inline'\">\n"
                     "<title>{0}</title>\n<style>{1}</style></head>\n<body><main>\n<h1>{0}</h1>\n",
                     escape_html(title), kStyleSheet, kFirstLine, kGenerator);
}

std::string page_end() {
  return "<footer>Made by lookalike</footer>\n</main></body></html>\n";
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format("{}{}{}", page_start(title), body, page_end());
}

OutputKind page_kind() {
  return {"a page of lookalike", [](std::string_view start) {
            return start.starts_with(kFirstLine) && start.find(kGenerator) < start.find("<body");
          }};
}

}  // namespace lookalike
