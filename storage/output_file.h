#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/files.h"
#include "storage/byte_stream.h"

// Files that commands write. Three rules:
//   1. No output replaces an input of the command, an index or a file beside it, or an image.
//   2. It replaces other foreign files only with --force.
//   3. A regular file appears whole or not at all.
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

// A file that a command writes. A regular file appears whole at commit() or not at all; symbolic
// links to it stay. FIFOs, devices and open files such as /dev/stdout are written directly. Not
// thread-safe. Throws Error(kStorage) with the system's reason when writing fails.
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
  enum class Form {
    kNew,       // replaces nothing
    kReplaced,  // takes the place of an existing file
    kStream,
  };
  void open();

  std::filesystem::path given_{};  // as in the option
  std::filesystem::path path_{};
  std::string label_{};  // of messages: "OPTION: PATH"
  Form form_ = Form::kReplaced;
  std::function<Form()> check_{};  // checks the target again; none for an unguarded file
  FileDescriptor open_file_{};     // of a stream that is open already
  std::unique_ptr<AtomicFile> atomic_{};
  std::optional<BufferedFile> stream_{};
};

// Writes the text as the whole file and commits it.
void write_whole(OutputFile& file, std::string_view text);

// Decides by the rules above which files the options of one command may write. Two options never
// share a file, except a character device. Links are followed, and files are compared by device and
// inode as well as by name. Add inputs, indexes and protected files before the first open().
class OutputGuard {
 public:
  explicit OutputGuard(bool force = false);

  // Adds a file that the command reads. It need not exist; an empty name is ignored.
  void add_input(const std::filesystem::path& file);
  void add_inputs(std::span<const std::string> files);
  // Protects an index that the command uses, with the files beside it: FILE-wal, FILE.lock,
  // FILE.pairs and others, FILE.work with its content, and the same names for FILE.retrain. Other
  // indexes are recognised by their content.
  void add_index(const std::filesystem::path& database);
  // Protects the names in and below the folder that is_image_name() accepts.
  void protect_folder(const std::filesystem::path& folder, std::span<const std::string> extensions);
  // Protects the files whose absolute names `is_known` accepts. Only open() calls it.
  void protect_files(std::function<bool(const std::string& path)> is_known);
  // Protects the files whose first kMarkBytes `is_image` accepts, in any folder, unless they have
  // the mark of the output's kind.
  void protect_images(std::function<bool(ByteView start)> is_image);

  // As add_index(), for a database that the command may create. Throws Error(kUsage) if it is not
  // an index yet and has the name of an input or of an image in a protected folder.
  void claim_index(const std::string& option, const std::filesystem::path& database);

  // Checks that the file may be written, without creating it; "-" is standard output.
  // OutputFile::commit() checks again. Throws Error(kUsage, "OPTION: PATH: what is wrong: what to
  // do").
  OutputFile open(const std::string& option, const std::filesystem::path& path,
                  const OutputKind& kind);
  // Returns nothing for an empty path: the option was not given.
  std::optional<OutputFile> open_if_named(const std::string& option,
                                          const std::filesystem::path& path,
                                          const OutputKind& kind);

  // True if there is nothing to do: each file that open() returned is an earlier output of its kind
  // and no older than any existing input, by modification time as in make(1). False for devices and
  // before the first open().
  bool outputs_are_current() const;

 private:
  struct Rules;
  std::shared_ptr<Rules> rules_;  // shared with the files that open() returned
};

}  // namespace lookalike
