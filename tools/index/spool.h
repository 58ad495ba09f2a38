#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "pipeline/content_hash.h"
#include "stages/codebook/sample.h"
#include "storage/artefact_files.h"
#include "tools/index/extraction.h"

namespace lookalike {

// Keeps what was extracted before there is a codebook: features in a file of a folder of its own,
// the little rest in memory. The folder goes when the spool does.
class Spool {
 public:
  // A folder that an interrupted run left is emptied first.
  explicit Spool(std::filesystem::path folder);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  void add(std::vector<ExtractedItem> items);
  void finish();  // after it, the spool can be read

  std::size_t images() const { return sums_.size(); }  // that are not blank
  std::size_t blank() const { return blank_; }
  const std::vector<SkippedFile>& skipped() const { return skipped_; }

  // The features of images that are not blank, in the order of adding.
  FeatureSource features() const;
  // Hands everything on, in batches: images first, what refers to them and the rest after them.
  void replay(const std::function<void(std::vector<ExtractedItem>)>& accept);

 private:
  std::filesystem::path file() const { return folder_ / "sample.features"; }

  const std::filesystem::path folder_;
  std::unique_ptr<ArtefactWriter<ImageFeatures>> writer_;
  std::unordered_map<ContentHash, PixelSums, ContentHasher> sums_;
  std::vector<ExtractedItem> others_;  // blank images, copies and skipped files
  std::vector<SkippedFile> skipped_;
  std::size_t blank_ = 0;
};

}  // namespace lookalike
