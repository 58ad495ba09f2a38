#include "stages/codebook/training_progress.h"

#include <utility>

#include <fmt/format.h>

#include "stages/codebook/codebook_stage.h"

namespace lookalike {

TrainingProgress::TrainingProgress(const std::string& label, std::size_t words,
                                   const CodebookOptions& options, Progress::Style style)
    : words_(words),
      cells_(cell_count(words, options)),
      max_iterations_(options.max_iterations),
      progress_(label, "batches", 0, style) {}

TrainingWatch TrainingProgress::watch(std::function<void()> before_batch) {
  TrainingWatch watch;
  watch.seeds = [this](std::size_t words) {
    detail_ = fmt::format("{} of {} first words", words, cells_ > 1 ? cells_ : words_);
  };
  watch.step = [this](std::size_t step, double objective) {
    const bool is_cell = step > max_iterations_;
    detail_ = is_cell ? fmt::format("cell {} of {}", step - max_iterations_, cells_)
                      : fmt::format("iteration {} of at most {}", step, max_iterations_);
    detail_ += fmt::format(", objective {:.4f}", objective);
  };
  watch.batch = [this, before_batch = std::move(before_batch)] {
    before_batch();
    progress_.update(++batches_, detail_);
  };
  return watch;
}

}  // namespace lookalike
