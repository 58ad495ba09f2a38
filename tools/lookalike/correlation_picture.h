#pragma once

#include <string>

#include "kernels/pose_search/pose_search.h"
#include "pipeline/image.h"

namespace lookalike {

// A correlation map as a grey picture: black where the correlation is 0 or below or not defined,
// white where it is 1.
GrayImage correlation_picture(const PoseMap& map);

// Writes the picture in the format that the file's ending names. Throws Error(kStorage).
void write_picture(const GrayImage& picture, const std::string& file);

}  // namespace lookalike
