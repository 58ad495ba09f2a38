#pragma once

#include <array>
#include <vector>

#include <opencv2/core.hpp>

#include "base/geometry.h"
#include "base/image.h"
#include "base/random.h"

// Objects and scenes made of the photos of the package opencv-doc.
namespace lookalike {

inline constexpr std::array kPhotos = {"home.jpg",         "graf1.png",        "fruits.jpg",
                                       "box_in_scene.png", "board.jpg",        "baboon.jpg",
                                       "building.jpg",     "aloeL.jpg",        "blox.jpg",
                                       "stuff.jpg",        "starry_night.jpg", "rubberwhale1.png"};

GrayImage of_mat(const cv::Mat& mat);
cv::Mat as_mat(const GrayImage& image);  // the same pixels, not copied

// Throws Error(kInput) where the package is missing.
std::vector<GrayImage> load_photos();

// Standard deviation of the pixels.
double contrast(const GrayImage& image);

struct Cut {
  GrayImage pixels;
  std::size_t photo = 0;
  int x = 0;
  int y = 0;
};

// A part of some photo that is large enough, of at least this contrast.
Cut random_cut(const std::vector<GrayImage>& photos, Random& random, int width, int height,
               double min_contrast);

// What rounding to whole grey levels may take from a correlation.
double rounding(const Cut& cut);

// Gain 0.5 to 2 and offset -40 to 40, such that nothing is clipped.
void change_light(GrayImage& image, Random& random);

// Draws the object into the scene.
void paste(const GrayImage& object, Point centre, double turn_degrees, double scale,
           cv::Mat& scene);

void add_noise(cv::Mat& scene, double sigma, Random& random);

}  // namespace lookalike
