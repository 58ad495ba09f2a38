#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/held_file.h"

// The one way in which files that are not ours leave their place: moved, replaced by a hard link or
// by a copy, or dropped beside an equal file. A file is renamed first. Then the file that stays is
// looked for, opened anew by its path. If it is not there any more with its bytes, both paths were
// one file (two mounts of a folder, a folder without case, a share by two protocols) or somebody
// has taken it at that moment, and the file that went is put back. Only after that does its last
// name go, and only where its bytes are known to be elsewhere.
//
// A killed call leaves the file at its place, at the new one, at both, or in its folder as
// .NAME.lookalike-aside, which settle() puts back; and .NAME.lookalike-part, an unfinished copy.
//
// All throw Error with the path and the reason: kInput for what stands in the way, kStorage for
// what the file system refuses. The file is then at its place, or the message says where it is.
namespace lookalike {

// Called after each step that changes the file system. A test ends the process there.
using AfterStep = std::function<void()>;

// The file for which another one goes.
struct Stayer {
  const HeldFile* file = nullptr;  // none: nothing stays, as when a moved file is put back
  bool has_same_bytes = false;     // as the file that goes, which is compared
};

// Moves a file to a new name, which must be free. On another file system it is copied with its
// attributes, synced and compared.
void move_file(const HeldFile& file, const HeldFolder& folder, const std::string& name,
               const Stayer& stayer, const AfterStep& after_step);

// Makes a file a further name of one with the same bytes on its file system.
void replace_by_link(const HeldFile& file, const HeldFile& stayer, const AfterStep& after_step);

// Gives a name of a file with several names a copy of its own, with its attributes and this time of
// modification.
void replace_by_copy(const HeldFile& file, std::int64_t modified_ns, const AfterStep& after_step);

// Removes a name of a file whose bytes are at another place, too. Both may be names of one inode.
void drop_copy(const HeldFile& file, const HeldFile& other, const AfterStep& after_step);

// Makes good what killed calls have left of a file in its folder: puts it back if it is aside,
// drops what is aside with its bytes, and removes unfinished copies. Throws Error(kInput) if a file
// with other bytes is aside.
void settle(const HeldFolder& folder, const std::string& name, const AfterStep& after_step);

}  // namespace lookalike
