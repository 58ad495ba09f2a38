#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "storage/output_file.h"

namespace lookalike {

// Decides which files the options of one command may write, so that an output never replaces a
// file that is not an output:
//   - A new or empty file, a FIFO, a character device and an open file (/dev/stdout, /dev/fd/N) may
//     be written.
//   - A file with content is replaced if it carries the mark of the kind being written. Force
//     replaces other regular files as well, and files without any write permission.
//   - Nothing replaces an input of the command, an index of lookalike or a file beside it, a file
//     with a protected content and without that mark, a file that the command's index or manifest
//     knows, a name in a folder of images that would be indexed, the output of another option, a
//     folder, a block device, a socket or a dangling link.
// Symbolic links are followed once, and every name on the way is checked. Files are compared by
// device and inode as well as by name. Add inputs, indexes and protected files before the first
// open().
class OutputGuard {
 public:
  explicit OutputGuard(bool force = false);

  // A file that the command reads. It need not exist; an empty name is ignored.
  void add_input(const std::filesystem::path& file);
  void add_inputs(std::span<const std::string> files);
  // An index that the command uses. Protects FILE, FILE-wal, FILE-shm, FILE-journal, FILE.lock,
  // FILE.pairs, FILE.rejected, FILE.work with its content, and the same names of FILE.retrain.
  // Other indexes are recognised by their content.
  void add_index(const std::filesystem::path& database);
  // Protects the names that is_image_name() accepts, in the folder and below it.
  void protect_folder(const std::filesystem::path& folder, std::span<const std::string> extensions);
  // Protects the files whose absolute names `is_known` accepts. Called by open() alone.
  void protect_files(std::function<bool(const std::string& path)> is_known);

  // Protects the files whose content `is_image` accepts by its start, at most kMarkBytes, wherever
  // they lie.
  void protect_images(std::function<bool(ByteView start)> is_image);

  // As add_index(), for a database that the command may create. Throws Error(kUsage) if it is not
  // an index yet and its name is that of an input or of an image in a protected folder.
  void claim_index(const std::string& option, const std::filesystem::path& database);

  // Checks that the file may be written, and creates nothing; "-" is standard output.
  // OutputFile::commit() checks again. Throws Error(kUsage, "OPTION: PATH: what is wrong: what to
  // do").
  OutputFile open(const std::string& option, const std::filesystem::path& path,
                  const OutputKind& kind);
  // Nothing for an empty path, which is that of an option that was not given.
  std::optional<OutputFile> open_if_named(const std::string& option,
                                          const std::filesystem::path& path,
                                          const OutputKind& kind);

  // Whether there is nothing to do: every file that open() returned is there, an earlier output of
  // its kind, and not older than any input that exists. By the times of modification, as make(1)
  // judges. False for devices and before the first open().
  bool outputs_are_current() const;

 private:
  struct Rules;
  std::shared_ptr<Rules> rules_;  // shared with the files that open() returned
};

}  // namespace lookalike
