#pragma once

#include <string>

// Names of files where only text may stand, such as in JSON. A name that is UTF-8 stands for
// itself; any other becomes a file: URI (RFC 8089) of its absolute path, in which other bytes than
// letters, digits and -._~/ are %XX. No absolute path begins like one, so nothing is ambiguous.
namespace lookalike {

std::string text_of_path(const std::string& path);

// The path that such a text, or a person, names. Throws Error(kUsage) for a damaged file: URI, and
// for one with a host.
std::string path_of_text(const std::string& text);

}  // namespace lookalike
