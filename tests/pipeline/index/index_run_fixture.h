#pragma once

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/options.h"
#include "pipeline/index/index_run.h"
#include "storage/index_reader.h"
#include "tests/stages/pictures.h"
#include "tests/temporary_folder.h"

namespace lookalike {

// A folder for drawn pictures, and the configuration of runs that index it.
class IndexRunTest : public testing::Test {
 protected:
  IndexRunTest() {
    config_.images.folders = {photos().native()};
    config_.store.database = folder_.path() / "index.db";
    config_.images.decode_threads = 2;
    config_.device.choice = ":CPU:";
    config_.extract.enlarge_to_px = 0;
    std::filesystem::create_directory(photos());
  }

  std::filesystem::path photos() const { return folder_.path() / "photos"; }
  std::string write(const std::string& name, const std::vector<std::uint8_t>& bytes) const {
    return folder_.write(fmt::format("photos/{}", name), text(bytes));
  }
  std::string draw(const std::string& name, unsigned seed) const {
    return write(name, encode(".png", draw_picture(160, 120, seed)));
  }
  void draw_some(unsigned count) const {
    for (unsigned i = 0; i < count; ++i) draw(fmt::format("p{}.png", i), i);
  }

  IndexRunReport run(const IndexRunOptions& options = {}) const {
    return run_index(
        config_, Progress::Style::kQuiet, [] { return false; }, options);
  }
  // Returns the content hash of a new index with this configuration.
  std::string fresh_content() const {
    std::filesystem::remove_all(config_.store.database);
    run();
    return index().content_hash();
  }
  // Stops at the `count`th request.
  IndexRunReport run_stopped_at(std::ptrdiff_t count) const {
    return run_index(config_, Progress::Style::kQuiet, [=]() mutable { return --count <= 0; });
  }
  // Stops at the `count`th request after the scan.
  IndexRunReport run_stopped(std::ptrdiff_t count) const {
    return run_stopped_at(std::distance(std::filesystem::directory_iterator(photos()), {}) + count);
  }
  // Stops once a condition holds for the index.
  template <typename Condition>
  IndexRunReport run_until(const Condition& holds) const {
    return run_index(config_, Progress::Style::kQuiet, [&] {
      return std::filesystem::exists(config_.store.database) && holds(index());
    });
  }
  IndexReader index() const { return IndexReader(config_.store.database); }
  std::vector<std::string> paths_of(const std::string& path) const {
    const IndexReader reader = index();
    const auto id = reader.find(path);
    return id ? reader.image(*id)->paths : std::vector<std::string>();
  }
  Error error(const IndexRunOptions& options = {}) const {
    try {
      run(options);
    } catch (const Error& error) {
      return error;
    }
    return {ErrorKind::kInternal, "no error"};
  }

  TemporaryFolder folder_;
  RunConfig config_;
};

}  // namespace lookalike
