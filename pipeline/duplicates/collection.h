#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "config/options.h"
#include "pipeline/duplicates/groups.h"
#include "pipeline/searcher.h"

namespace lookalike {

// The groups of an index, with the state that earlier runs stored beside it.
class Collection {
 public:
  // config.store.database is the index; config.match controls the search, its `mirror` the search
  // for mirror images. Its tables replace options.match, images and prefer. The index must outlive
  // this. Does not store its state, with a warning, while another process has a Collection of the
  // index. Throws Error(kInput) for damaged rejections.
  Collection(const IndexReader& index, RunConfig config, GroupOptions options);

  // Returns the number of images to compare: none for exact copies alone.
  std::size_t pending() const { return are_only_exact(options_.kinds) ? 0 : search_.pending(); }

  // Compares the pending images. Saves the state every minute and at the end, unless the scope
  // excludes pairs. Calls after_each(done) after each image and stops when it returns false.
  // Returns whether all images were compared. Warns of pictures that cannot be read, which the next
  // run compares again, and of a state that cannot be written. Opens a device only if images are
  // pending. Throws as Searcher.
  bool compare(const std::function<bool(std::size_t done)>& after_each);

  // Groups the images by the pairs and rejections. The groups compare further pairs where a
  // proposal needs them. This must outlive the result.
  Groups groups();

  // Marks images as reported, so that later runs with options.new_only leave them out. Has no
  // effect if the scope excludes pairs.
  void mark_reported(const std::function<bool(ImageId)>& is_reported);

  // True if later runs know what this one found.
  bool is_remembered() const { return can_save_; }

 private:
  Searcher& searcher();
  std::optional<std::size_t> check(std::uint32_t first, std::uint32_t second, bool mirrored);
  void save();

  const IndexReader& index_;
  const RunConfig config_;
  const GroupOptions options_;
  const ContentHash fingerprint_;
  const std::optional<FileDescriptor> lock_;  // taken before reading the pairs
  const Rejections rejections_;
  PairState state_;
  const std::vector<IndexedImage> images_;
  const std::vector<std::uint32_t> places_;
  PairSearch search_;
  std::optional<Searcher> searcher_;  // once it is needed
  bool can_save_;
};

}  // namespace lookalike
