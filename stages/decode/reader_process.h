#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <opencv2/core.hpp>

#include "stages/decode/image_header.h"
#include "stages/decode/readers.h"

namespace lookalike {

// A process that reads pictures for one reader module. It protects this program from decoders that
// a malicious file misleads: it can open no file and no connection (sandbox.h), and gets memory and
// processor time by the size in the picture's header and by the file's bytes. A file that takes
// more ends the process, and costs itself alone.
//
// The process starts with the first file. If a file ends it, the next file starts another. After
// kMostAnswers it is replaced: libraries leak (libdav1d does), and limits count from its start. A
// start that failed is repeated after a pause of twenty times as long, at most a minute.
// Methods are called by one thread at a time. They throw Error(kInternal) if the program
// `lookalike-reader` or the module cannot be started, std::bad_alloc for memory of this process,
// and Overdue when the time of the thread's WorkLimits is over.
class ReaderProcess {
 public:
  // module: a file name, such as "gif_reader.so"
  explicit ReaderProcess(std::string module);
  ~ReaderProcess();
  static constexpr int kMostAnswers = 500;
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  // As ImageReader::read_header() and read(), or read_reduced() in its place. `header` is the
  // checked one.
  std::optional<ImageHeader> read_header(std::span<const std::uint8_t> file, std::string& problem);
  cv::Mat read(std::span<const std::uint8_t> file, const ImageHeader& header, PixelMode mode,
               int divisor, std::string& problem);

  // As ImageReader::read_metadata(). Sets `problem` if the file costs too much, too.
  std::vector<MetadataEntry> read_metadata(std::span<const std::uint8_t> file,
                                           std::string& problem);

 private:
  class Process;
  Process& running();

  const std::string module_;
  std::unique_ptr<Process> process_;
  int answers_ = 0;  // that were asked of the process
};

}  // namespace lookalike
