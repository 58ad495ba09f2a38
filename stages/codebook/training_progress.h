#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/progress.h"
#include "config/options.h"
#include "stages/codebook/kmeans.h"

namespace lookalike {

// Shows the training of a codebook: batches of features, and which part of the training they serve.
class TrainingProgress {
 public:
  // words: to train; options: those of train_codebook().
  TrainingProgress(const std::string& label, std::size_t words, const CodebookOptions& options,
                   Progress::Style style);

  // Returns the callbacks of a training, which this must outlive.
  //   before_batch  also called before each batch
  TrainingWatch watch(std::function<void()> before_batch = [] {});

 private:
  const std::size_t words_;
  const std::size_t cells_;  // 1: none
  const std::size_t max_iterations_;
  std::size_t batches_ = 0;
  std::string detail_;
  Progress progress_;
};

}  // namespace lookalike
