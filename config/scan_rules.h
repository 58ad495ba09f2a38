#pragma once

#include "base/scan.h"
#include "config/options.h"

namespace lookalike {

// Returns the rules of [images] for a scan. The options must outlive them.
inline ScanRules scan_rules(const ImagesOptions& images) {
  return {images.extensions, images.exclude, images.hidden, images.follow_links};
}

}  // namespace lookalike
