#include "stages/codebook/codebook_stage.h"

#include <utility>

#include "pipeline/random.h"
#include "stages/codebook/seeding.h"
#include "stages/codebook/signature_training.h"

namespace lookalike {

Codebook train_codebook(OpenClSession& session, const Sample& sample,
                        const CodebookOptions& options, const KMeansProgress& progress) {
  Random random(options.seed);
  KMeansResult result =
      k_means(session, sample.matrix(), seed_words(session, sample.matrix(), sample.words, random),
              options, progress);
  Codebook codebook;
  codebook.descriptor_size = sample.descriptor_size;
  codebook.words = std::move(result.words);
  codebook.projection = random_projection(sample.descriptor_size, random);
  codebook.thresholds = signature_thresholds(codebook, sample.matrix(), result.assignment);
  return codebook;
}

}  // namespace lookalike
