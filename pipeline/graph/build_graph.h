#pragma once

#include <functional>
#include <string>

#include "base/progress.h"
#include "config/options.h"
#include "kernels/session/session.h"
#include "storage/index_writer.h"

namespace lookalike {

// Completes the neighbour graph of an index: compares each of its images_to_compare() with the
// images before it (NeighbourJoin), and gives each edge to both of its images, which keep the best.
// An image that is equal to an earlier one (equal_pictures()) is not compared: the earlier one
// stands in for it. The graph does not depend on the number of threads. In several runs, the votes
// of an image weigh words by the images indexed so far. Publishes what is done every few seconds,
// so a later call resumes after a stop, and ends in the same graph. Calls before_each() before each
// image and while lists are read; it may throw. Throws as Searcher and IndexWriter.
void complete_graph(IndexWriter& writer, const RunConfig& config, OpenClSession& session,
                    Progress::Style style, const std::function<void()>& before_each,
                    const std::string& label = "neighbours");

}  // namespace lookalike
