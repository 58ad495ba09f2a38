#include "storage/output_file.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <utility>

#include "storage/atomic_file.h"
#include "storage/output_target.h"

namespace lookalike {
namespace {

FileDescriptor open_stream(const OutputTarget& target) {
  const char* const path = target.path().c_str();
  FileDescriptor file;
  do {
    file = FileDescriptor(::open(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  } while (!file.is_open() && errno == EINTR);
  if (!file.is_open()) BufferedFile::fail(target.given, "cannot be opened");
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) BufferedFile::fail(target.given, "cannot be opened");
  if (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode)) {
    target.refuse("was replaced while this command ran: start it again");
  }
  return file;
}

}  // namespace

OutputKind kind_that_begins(std::string name, std::string beginning) {
  return {std::move(name), [beginning = std::move(beginning)](std::string_view start) {
            return start.starts_with(beginning);
          }};
}

struct OutputFile::Impl {
  Impl(OutputTarget to, OutputForm how, Check again)
      : target(std::move(to)), form(how), check(std::move(again)) {}

  void open() {
    if (atomic || stream) return;
    if (form != OutputForm::kStream) {
      atomic.emplace(target.path());
    } else if (target.open_file.is_open()) {
      std::fflush(stdout);  // before the output, which may go to the same file
      stream.emplace(std::move(target.open_file), target.given);
    } else {
      stream.emplace(open_stream(target), target.given);
    }
  }

  void write(ByteView bytes) {
    open();
    atomic ? atomic->write(bytes) : stream->write(bytes);
  }

  void commit() {
    open();
    if (stream) {
      stream->flush();
      return;
    }
    if (check) form = check();
    if (form == OutputForm::kReplaced) {
      atomic->commit();
    } else if (form == OutputForm::kStream || !atomic->commit_new()) {
      target.refuse("appeared while this command ran: name another file");
    }
  }

  OutputTarget target;
  OutputForm form;
  Check check;
  std::optional<AtomicFile> atomic{};
  std::optional<BufferedFile> stream{};
};

OutputFile::OutputFile(OutputTarget target, OutputForm form, Check check)
    : impl_(std::make_unique<Impl>(std::move(target), form, std::move(check))) {}

OutputFile::~OutputFile() = default;
OutputFile::OutputFile(OutputFile&&) noexcept = default;

OutputFile OutputFile::unguarded(const std::filesystem::path& file) {
  return {OutputTarget{.option = {}, .given = file, .names = {file}}, OutputForm::kReplaced, {}};
}

std::filesystem::path OutputFile::folder() const {
  if (impl_->form == OutputForm::kStream) return std::filesystem::temp_directory_path();
  return impl_->target.path().parent_path();
}

void OutputFile::write(ByteView bytes) {
  impl_->write(bytes);
}

void OutputFile::write(std::string_view text) {
  impl_->write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

void OutputFile::commit() {
  impl_->commit();
}

void write_whole(OutputFile& file, std::string_view text) {
  file.write(text);
  file.commit();
}

}  // namespace lookalike
