#pragma once

#include <span>
#include <string>

#include "storage/output_file.h"
#include "tools/evaluate/metrics.h"
#include "tools/evaluate/truth.h"

namespace lookalike {

// A CSV file of every relevant image and how it was answered:
//   query,relevant,rank,iou
// rank counts from 1 and is 0 when the image was not answered; iou is its overlap, as overlap()
// has it, and empty where its place is not known. Paths are quoted as RFC 4180 has it. answers[i]
// is for queries[i]. Throws Error(kInternal) when the sizes differ.
std::string rank_table(std::span<const TruthQuery> queries, std::span<const Answer> answers,
                       bool boxes);

// These tables, recognised by their header row.
OutputKind rank_table_kind();

}  // namespace lookalike
