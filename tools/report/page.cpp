#include "tools/report/page.h"

#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "pipeline/error.h"
#include "storage/atomic_file.h"
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
  std::error_code none;  // where nothing can be found out, nothing is there or nothing can be made
  const auto status = std::filesystem::symlink_status(file, none);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(ErrorKind::kStorage,
                fmt::format("{}: a page replaces a regular file alone, and no link", file));
  }
  AtomicFile target(file);
  target.write({reinterpret_cast<const std::uint8_t*>(html.data()), html.size()});
  target.commit();
}

}  // namespace lookalike
