#pragma once

#include <filesystem>

namespace lookalike {

// The file's own absolute name: every link on the way to it is followed, once. What is opened by
// this name with O_NOFOLLOW is the file that was meant, not one that a link put there later leads
// to. A file that is not there yet gets the name that it would have. Throws Error(kInput) for
// links that lead in a circle.
std::filesystem::path resolved(const std::filesystem::path& file);

}  // namespace lookalike
