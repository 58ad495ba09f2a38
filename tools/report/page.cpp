#include "tools/report/page.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "tools/report/html.h"
#include "tools/report/style.h"

namespace lookalike {

std::string facts_list(const Facts& facts) {
  std::string html = "<ul class=\"facts\">";
  for (const auto& [name, value] : facts) {
    html += fmt::format("<li>{} <b>{}</b></li>", escape_html(name), escape_html(value));
  }
  return html + "</ul>";
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "img-src data:; style-src 'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>{1}</style></head>\n<body><main>\n<h1>{0}</h1>\n{2}"
      "<footer>Made by lookalike</footer>\n</main></body></html>\n",
      escape_html(title), kReportStyle, body);
}

void write_page(const std::string& html, const std::string& file) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << html;
  stream.close();
  if (!stream) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: the report cannot be written: {}", file, std::strerror(errno)));
  }
}

}  // namespace lookalike
