#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "config/options.h"
#include "pipeline/groups/groups.h"

namespace lookalike {

// The groups of an index: what earlier runs found, brought up to date and kept beside the index.
class Collection {
 public:
  // config.store.database is the index; config.match governs the search, and its `mirror` whether
  // mirror images are looked for. options.match is set from it. The index must outlive this.
  // While another process has one, this one remembers nothing, with a warning. Throws Error(kInput)
  // for damaged rejections.
  Collection(const IndexReader& index, RunConfig config, GroupOptions options);

  std::size_t pending() const { return search_.pending(); }  // images to compare

  // Compares them, and saves the state every minute and at the end, unless the scope leaves pairs
  // out. Calls after_each(done) after each image, and stops in order when it returns false; returns
  // whether all were compared. A picture that cannot be read is a warning; it is compared again by
  // the next run. Opens a device only if there is something to compare. Throws as
  // Searcher does. A state that cannot be written is a warning.
  bool compare(const std::function<bool(std::size_t done)>& after_each);

  // What follows from the pairs and the rejections; lives no longer than this.
  Groups groups() const;

  // Call when images were reported: later runs with options.new_only leave them out. Without effect
  // if the scope leaves pairs out.
  void mark_reported(const std::function<bool(ImageId)>& is_reported);

  // Whether later runs know what this one found.
  bool is_remembered() const { return can_save_; }

 private:
  void save();

  const IndexReader& index_;
  const RunConfig config_;
  const GroupOptions options_;
  const ContentHash fingerprint_;
  const std::optional<FileDescriptor> lock_;  // before the pairs are read
  const Rejections rejections_;
  PairState state_;
  const std::vector<IndexedImage> images_;
  const std::vector<std::uint32_t> places_;
  PairSearch search_;
  bool can_save_;
};

}  // namespace lookalike
