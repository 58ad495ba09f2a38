#pragma once

#include "base/scan.h"
#include "config/options.h"

namespace lookalike {

// What [images] lets a scan find. The options must outlive the rules.
inline ScanRules scan_rules(const ImagesOptions& images) {
  return {images.extensions, images.exclude, images.hidden};
}

}  // namespace lookalike
