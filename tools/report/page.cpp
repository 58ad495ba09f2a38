#include "tools/report/page.h"

#include <fmt/format.h>

#include "tools/report/html.h"
#include "tools/report/style.h"

namespace lookalike {
namespace {

constexpr std::string_view kFirstLine = "<!DOCTYPE html>\n";
constexpr std::string_view kGenerator = "<meta name=\"generator\" content=\"lookalike ";

}  // namespace

std::string facts_list(const Facts& facts) {
  std::string html = "<ul class=\"facts\">";
  for (const auto& [name, value] : facts) {
    html += fmt::format("<li>{} <b>{}</b></li>", escape_html(name), escape_html(value));
  }
  return html + "</ul>";
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "{3}<html lang=\"en\"><head><meta charset=\"utf-8\">\n{4}" LOOKALIKE_VERSION
      "\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "img-src data:; style-src 'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>{1}</style></head>\n<body><main>\n<h1>{0}</h1>\n{2}"
      "<footer>Made by lookalike</footer>\n</main></body></html>\n",
      escape_html(title), kReportStyle, body, kFirstLine, kGenerator);
}

OutputKind page_kind() {
  return {"a page of lookalike", [](std::string_view start) {
            return start.starts_with(kFirstLine) && start.find(kGenerator) < start.find("<body");
          }};
}

}  // namespace lookalike
