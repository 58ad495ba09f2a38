#pragma once

#include <vector>

#include <gtest/gtest.h>

#include "kernels/surf/surf.h"
#include "tests/kernels/shared_session.h"

namespace lookalike {

// A test that runs with each form of the kernels.
class SurfFixture : public ::testing::TestWithParam<SurfKernel> {
 protected:
  static FeatureSet extract(const GrayImage& image, const SurfParameters& parameters,
                            const GrayImage& mask = {}) {
    Surf surf(shared_session(), parameters, GetParam());
    const std::vector<ImageView> images = {image.view()};
    const std::vector<ImageView> masks = {mask.view()};
    return surf.extract(images, masks).front();
  }
};

}  // namespace lookalike
