#pragma once

#include <filesystem>

#include "storage/sqlite.h"

namespace lookalike {

// Makes the content of an index that of another one, which nobody writes, in one transaction:
// readers see all of the one or all of the other. The record of runs stays. Throws Error(kStorage),
// and then nothing has changed.
void replace_content(Connection& connection, const std::filesystem::path& other);

}  // namespace lookalike
