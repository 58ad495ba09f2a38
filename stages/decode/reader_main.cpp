// lookalike-reader MODULE: reads pictures for another process; see reader_process.h and
// reader_protocol.h. Started by it alone.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <new>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/module.h"
#include "stages/decode/descriptor_socket.h"
#include "stages/decode/reader_protocol.h"
#include "stages/decode/readers.h"
#include "stages/decode/sandbox.h"

namespace lookalike {
namespace {

void set_problem(ReaderAnswer& answer, ReaderResult result, std::string_view problem) {
  answer.result = result;
  const std::size_t length = std::min(problem.size(), answer.problem.size() - 1);
  std::copy_n(problem.begin(), length, answer.problem.begin());
}

// The bytes of a file, in memory.
class Mapping {
 public:
  explicit Mapping(const FileDescriptor& file) {
    const ::off_t end = ::lseek(file.number(), 0, SEEK_END);
    if (end <= 0) return;
    const auto bytes = static_cast<std::size_t>(end);
    void* const start = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (start != MAP_FAILED) bytes_ = {static_cast<const std::uint8_t*>(start), bytes};
  }
  ~Mapping() {
    if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::span<const std::uint8_t> bytes_;
};

// Returns a descriptor of a file with these bytes; a closed one on failure.
FileDescriptor file_of(std::span<const std::uint8_t> bytes) {
  FileDescriptor file(::memfd_create("answer", MFD_CLOEXEC));
  const bool is_written =
      file.is_open() && move_all(bytes.size(), [&](std::size_t done, std::size_t left) {
        return ::write(file.number(), bytes.data() + done, left);
      });
  return is_written ? std::move(file) : FileDescriptor();
}

ReaderAnswer metadata_of(const ImageReader& reader, std::span<const std::uint8_t> file,
                         FileDescriptor& attached) {
  ReaderAnswer answer{.result = ReaderResult::kDone};
  std::vector<MetadataEntry> entries;
  std::string problem;
  reader.read_metadata(file, entries, problem);
  std::vector<std::uint8_t> bytes;
  const auto append = [&](std::size_t number) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(number >> shift));
    }
  };
  for (const auto& [field, text] : entries) {
    if (text.size() + bytes.size() + 8 > kMostMetadataBytes) {
      problem = "there is more than is read";
      continue;
    }
    append(static_cast<std::uint32_t>(field));
    append(text.size());
    bytes.insert(bytes.end(), text.begin(), text.end());
  }
  set_problem(answer, ReaderResult::kDone, problem);
  answer.metadata_bytes = bytes.size();
  attached = file_of(bytes);
  if (!attached.is_open()) answer.result = ReaderResult::kNoMemory;
  return answer;
}

ReaderAnswer answer_to(const ImageReader& reader, const ReaderRequest& request,
                       std::span<const std::uint8_t> file, FileDescriptor& attached) {
  if (request.task == ReaderTask::kMetadata) return metadata_of(reader, file, attached);
  ReaderAnswer answer{.result = ReaderResult::kDone};
  std::string problem;
  if (request.task == ReaderTask::kHeader && reader.read_header != nullptr) {
    const std::optional<ImageHeader> header = reader.read_header(file, problem);
    if (header) {
      answer.width = header->width;
      answer.height = header->height;
      answer.has_alpha = header->has_alpha ? 1 : 0;
      answer.premultiplied = header->premultiplied ? 1 : 0;
    } else {
      set_problem(answer, ReaderResult::kProblem, problem);
    }
    return answer;
  }
  const auto mode = static_cast<PixelMode>(request.mode);
  const cv::Mat image = reader.read_reduced != nullptr
                            ? reader.read_reduced(file, mode, request.divisor, problem)
                            : reader.read(file, mode, problem);
  if (image.empty()) {
    set_problem(answer, ReaderResult::kProblem, problem);
    return answer;
  }
  set_problem(answer, ReaderResult::kDone, problem);  // of some pixels, as readers.h says
  answer.rows = image.rows;
  answer.columns = image.cols;
  answer.type = image.type();
  const cv::Mat joined = image.isContinuous() ? image : image.clone();
  attached = file_of({joined.data, joined.total() * joined.elemSize()});
  if (!attached.is_open()) answer.result = ReaderResult::kNoMemory;
  return answer;
}

ReaderAnswer answer_or_failure(const ImageReader& reader, const ReaderRequest& request,
                               std::span<const std::uint8_t> file, FileDescriptor& attached) {
  ReaderAnswer answer;
  try {
    return answer_to(reader, request, file, attached);
  } catch (const std::bad_alloc&) {
    answer.result = ReaderResult::kNoMemory;
  } catch (const cv::Exception& exception) {
    const bool no_memory = exception.code == cv::Error::StsNoMem;
    set_problem(answer, no_memory ? ReaderResult::kNoMemory : ReaderResult::kProblem,
                "OpenCV: " + exception.err);
  } catch (const std::exception& exception) {
    set_problem(answer, ReaderResult::kProblem, exception.what());
  }
  return answer;
}

// Leaves stopping to the program, which may need more pictures before it stops.
void ignore_stop_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
}

void limit_own_use() {
  rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::mallopt(M_ARENA_MAX, 1);  // one thread per process does the work
  cv::setNumThreads(1);
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  // When memory runs out, the kernel ends the reader rather than the program.
  const FileDescriptor score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  constexpr std::string_view kScore = "500";
  [[maybe_unused]] const auto written = ::write(score.number(), kScore.data(), kScore.size());
}

int serve(const std::string& module) {
  ignore_stop_signals();
  limit_own_use();
  ReaderAnswer ready;
  try {
    const auto& reader = *static_cast<const ImageReader*>(load_module(module.c_str()));
    if (reader.has_decoder != nullptr) reader.has_decoder("HEIC");  // loads the library's plugins
    confine_process();
    if (!send_packet(kReaderSocket, &ready, sizeof(ready), -1)) return EXIT_FAILURE;
    while (true) {
      ReaderRequest request;
      FileDescriptor file;
      if (!receive_packet(kReaderSocket, &request, sizeof(request), file)) return EXIT_SUCCESS;
      FileDescriptor attached;
      const Mapping mapping(file);
      const ReaderAnswer answer = answer_or_failure(reader, request, mapping.bytes(), attached);
      if (!send_packet(kReaderSocket, &answer, sizeof(answer), attached.number())) {
        return EXIT_SUCCESS;
      }
    }
  } catch (const Error& error) {
    set_problem(ready, ReaderResult::kProblem, error.what());
    send_packet(kReaderSocket, &ready, sizeof(ready), -1);
    return EXIT_FAILURE;
  }
}

}  // namespace
}  // namespace lookalike

int main(int argc, char** argv) {
  return argc == 2 ? lookalike::serve(argv[1]) : EXIT_FAILURE;
}
