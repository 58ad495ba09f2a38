#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "storage/byte_stream.h"

namespace lookalike {

// The length of the start of a file that decides its kind.
inline constexpr std::size_t kMarkBytes = 4096;

// What an option writes, and the mark by which an earlier output of it is recognised.
struct OutputKind {
  std::string name;  // with its article, for messages: "a page of lookalike"
  // Whether a file is of this kind, given its first kMarkBytes, or all of a shorter file.
  std::function<bool(std::string_view start)> is_earlier;
};

// The kind of all files that begin with these bytes.
OutputKind kind_that_begins(std::string name, std::string beginning);

// The file that an option names for writing.
struct OutputTarget {
  std::string option;           // "--report"
  std::filesystem::path given;  // as in the option
  // The absolute names of the file: the given one without "." and "..", then that of each link on
  // the way, last the file's own. The file need not exist.
  std::vector<std::filesystem::path> names;
  bool is_link = false;  // whether the given name is a link
  // A duplicate of the process's open file that the names lead to (/dev/stdout, /dev/fd/N); else
  // not open.
  FileDescriptor open_file{};

  const std::filesystem::path& path() const { return names.back(); }

  // Throws Error(kUsage, "OPTION: PATH: what"); for a link the message names its target.
  [[noreturn]] void refuse(const std::string& what) const;
};

// Follows symbolic links one by one. Refuses a path whose folder does not exist, a path that ends
// in a slash, "." or "..", dangling links, loops, and a number of a file that is not open for
// writing.
OutputTarget follow_links(const std::string& option, const std::filesystem::path& path);

// How a target is written.
enum class OutputForm {
  kNew,       // nothing has the name: the file appears whole, and replaces nothing
  kReplaced,  // the file appears whole in place of the one there
  kStream,    // a FIFO, a device or an open file such as /dev/stdout: written directly
};

// A file that a command writes. A regular file appears whole at commit() or not at all; a symbolic
// link to it stays. Used from one thread.
// Throws Error(kStorage) with the system's reason when writing fails.
class OutputFile {
 public:
  // For a name that the program itself chose, such as those in DATABASE.work, and for what can be
  // made again after a power cut: replaces any file of the name, and is not synced.
  // OutputGuard::open() is for names that options give.
  static OutputFile unguarded(const std::filesystem::path& file);

  // The folder of the file, or the system's temporary folder for a stream: a place for scratch
  // files.
  std::filesystem::path folder() const;

  // The first call creates the temporary file, or opens the stream; opening a FIFO waits for its
  // reader.
  void write(ByteView bytes);
  void write(std::string_view text) { write(bytes_of(text)); }
  // Call once, after the last write(). Throws Error(kUsage) if the name has meanwhile been taken
  // by something that must not be replaced, which stays as it is.
  void commit();

 private:
  friend class OutputGuard;
  // Checks the target again before it is replaced; throws Error(kUsage) if it must not be.
  using Check = std::function<OutputForm()>;
  OutputFile(OutputTarget target, OutputForm form, Check check);
  void open();

  OutputTarget target_;
  OutputForm form_;
  Check check_;  // none for an unguarded file
  std::unique_ptr<AtomicFile> atomic_;
  std::optional<BufferedFile> stream_;
};

// Writes the text as the whole file and commits it.
void write_whole(OutputFile& file, std::string_view text);

}  // namespace lookalike
