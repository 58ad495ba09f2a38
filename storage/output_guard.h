#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "storage/output_file.h"

namespace lookalike {

// Decides which files the options of one command may write, so that an output never replaces
// anything but an output:
//   - New and empty files, FIFOs, character devices and open files (/dev/stdout, /dev/fd/N) may be
//     written.
//   - A file with content is replaced if it carries the mark of the kind being written. Force
//     replaces other regular files too, also without write permission.
//   - Nothing replaces an input of the command, an index or a file beside it (but a backup replaces
//     an earlier one), a file with protected
//     content and without the mark, a file that the command's index or manifest lists, a name that
//     would be indexed, the output of another option, a folder, a block device, a socket or a
//     dangling link.
// Symbolic links are followed once, and every name on the way is checked. Files are compared by
// device and inode as well as by name. Add inputs, indexes and protected files before the first
// open().
class OutputGuard {
 public:
  explicit OutputGuard(bool force = false);

  // Adds a file that the command reads. It need not exist; an empty name is ignored.
  void add_input(const std::filesystem::path& file);
  void add_inputs(std::span<const std::string> files);
  // Protects an index that the command uses: FILE, FILE-wal, FILE-shm, FILE-journal, FILE.lock,
  // FILE.pairs, FILE.rejected, FILE.work with its content, and the same names for FILE.retrain.
  // Other indexes are recognised by their content.
  void add_index(const std::filesystem::path& database);
  // Protects the names in and below the folder that is_image_name() accepts.
  void protect_folder(const std::filesystem::path& folder, std::span<const std::string> extensions);
  // Protects the files whose absolute names `is_known` accepts. Only open() calls it.
  void protect_files(std::function<bool(const std::string& path)> is_known);

  // Protects the files whose first kMarkBytes `is_image` accepts, in any folder.
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
