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

// Bytes at the start of a file that decide its kind.
inline constexpr std::size_t kMarkBytes = 4096;

// What an option writes, and how its earlier outputs are recognised.
struct OutputKind {
  std::string name;  // with its article, for messages: "a page of lookalike"
  // True if a file is of this kind, by its first kMarkBytes (all of a shorter file).
  std::function<bool(std::string_view start)> is_earlier;
  bool is_backup = false;  // may replace a backup of an index, and the rejections beside it
};

// Returns the kind of files that begin with these bytes.
OutputKind kind_that_begins(std::string name, std::string beginning);

// The file that an option names for writing.
struct OutputTarget {
  std::string option;           // "--report"
  std::filesystem::path given;  // as in the option
  // The absolute names of the file, which need not exist: the given name without "." and "..", each
  // link on the way, and the file's own name.
  std::vector<std::filesystem::path> names;
  bool is_link = false;  // the given name is a link
  // Open if the names lead to an open file of the process (/dev/stdout, /dev/fd/N): its duplicate.
  FileDescriptor open_file{};

  const std::filesystem::path& path() const { return names.back(); }

  // Throws Error(kUsage, "OPTION: PATH: what"); for a link the message names its target.
  [[noreturn]] void refuse(const std::string& what) const;
};

// Follows symbolic links one by one. Refuses a path whose folder does not exist or that ends in a
// slash, "." or "..", dangling links, loops, and open files that cannot be written.
OutputTarget follow_links(const std::string& option, const std::filesystem::path& path);

enum class OutputForm {
  kNew,       // the file appears whole, and replaces nothing
  kReplaced,  // the file appears whole in place of an existing one
  kStream,    // a FIFO, a device or an open file such as /dev/stdout: written directly
};

// A file that a command writes. A regular file appears whole at commit() or not at all; symbolic
// links to it stay. Not thread-safe. Throws Error(kStorage) with the system's reason when writing
// fails.
class OutputFile {
 public:
  // Replaces any file of the name, without syncing. For files in DATABASE.work and others that the
  // program names and can make again; OutputGuard::open() is for names in options.
  static OutputFile unguarded(const std::filesystem::path& file);

  // Returns a folder for scratch files: that of the file, or the system's temporary folder for a
  // stream.
  std::filesystem::path folder() const;

  // The first call creates the temporary file or opens the stream; a FIFO waits for its reader.
  void write(ByteView bytes);
  void write(std::string_view text) { write(bytes_of(text)); }
  // Returns the name of the temporary file, for a library that writes it by its name; nothing else
  // may then be written. Throws Error(kUsage) for a stream.
  std::filesystem::path temporary();
  // Call once, after the last write(). Throws Error(kUsage) if the name now belongs to something
  // that must not be replaced.
  void commit();

 private:
  friend class OutputGuard;
  // Checks the target again before it is replaced; throws Error(kUsage) to refuse.
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
