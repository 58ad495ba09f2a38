#pragma once

#include "base/image.h"
#include "kernels/pose_search/pose_search.h"
#include "storage/output_file.h"

namespace lookalike {

// A correlation map as a grey picture: black where the correlation is 0 or below or not defined,
// white where it is 1.
GrayImage correlation_picture(const PoseMap& map);

// Encodes the picture, of at least one pixel, as PNG with the text chunk "Software: lookalike".
Bytes encode_picture(const GrayImage& picture);

// These files, recognised by that chunk.
OutputKind correlation_picture_kind();

}  // namespace lookalike
