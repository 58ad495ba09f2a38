#pragma once

#include <functional>
#include <string>

// Files that change their name, also to another file system, and lose no byte.
namespace lookalike {

// Renames a file on its file system unless the new name exists. Returns 0, or the reason as errno
// would have it: EEXIST, EXDEV, ... A file that appears under the new name during the call may be
// replaced on file systems that can neither rename without replacing nor link (some FUSE ones).
int rename_to_new(const std::string& from, const std::string& to);

// True if both files can be read and have the same bytes.
bool have_same_bytes(const std::string& a, const std::string& b);

// Called after each step that changes the file system. A test ends the process there.
using AfterStep = std::function<void()>;

// Moves a file to a new name, whose folders are made: renames it, or on another file system copies
// it with its mode, owner, times and extended attributes, syncs the copy, compares it and removes
// the file. If the new name exists with the same bytes, as after a call that was killed, only
// removes the file. At any moment the file is whole under one of the two names. Throws
// Error(kStorage) with the reason; the file then stays.
void move_file(const std::string& from, const std::string& to, const AfterStep& after_step);

// Removes what a killed call has left of a copy to this name before it was whole.
void remove_unfinished_move(const std::string& to);

}  // namespace lookalike
