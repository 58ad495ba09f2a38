#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "storage/neighbours.h"

namespace lookalike {

// An image that a query found by itself.
struct DiffusionSource {
  ImageId image = 0;
  double probability = 0;  // that the query shows it, (0, 1]
  bool is_sure = false;
};

// An image that diffusion reached.
struct ReachedImage {
  ImageId image = 0;
  double flow = 0;  // ranks the reached images; not comparable between queries
  // The surest path of at most two verified edges from a sure source to this image, source first,
  // the image itself left out. Empty if there is no such path, and for a sure source. What a
  // collage or an album page shows does not lead to the other things on it.
  std::vector<ImageId> path{};
  double surety = 0;  // product of the probabilities along that path, [0, 1]; 1 for a sure source
};

// Lets the probabilities of the sources flow over the neighbour graph:
//   f = sum over t >= 0 of (0.9 S)^t y,   S = W / (sqrt(max(d_i, 1)) sqrt(max(d_j, 1)))
// with y the probabilities, W the symmetric weights, and d the sums of its rows. An image that many
// strong paths reach gets much. Reads the neighbours of the images that the surest paths reach, of
// at most `most_images`, and works on these images and their neighbours. Returns them by flow, the
// highest first; ties by number.
//   neighbours_of  returns the live neighbours of an image
// Method: Zhou, Bousquet, Lal, Weston, Schoelkopf, "Learning with local and global consistency",
// NIPS 2003; for images: Donoser, Bischof, "Diffusion processes for retrieval revisited", CVPR
// 2013.
std::vector<ReachedImage> diffuse(
    std::span<const DiffusionSource> sources,
    const std::function<std::vector<Neighbour>(ImageId)>& neighbours_of, std::size_t most_images);

}  // namespace lookalike
