// How fast OpenCV's SIFT computes features over a folder of images: the peer for `lookalike index`.
//   sift_folder FOLDER [MAX_FEATURES]    decoding is not timed
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <opencv2/features2d.hpp>
#include <opencv2/imgcodecs.hpp>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: sift_folder FOLDER [MAX_FEATURES]\n");
    return 2;
  }
  const int max_features = argc > 2 ? std::atoi(argv[2]) : 2000;
  cv::setNumThreads(2);
  const cv::Ptr<cv::SIFT> sift = cv::SIFT::create(max_features);
  std::size_t images = 0;
  std::size_t features = 0;
  std::chrono::duration<double> elapsed{0};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1])) {
    const cv::Mat image = cv::imread(entry.path().string(), cv::IMREAD_GRAYSCALE);
    if (image.empty()) continue;
    std::vector<cv::KeyPoint> keypoints;
    cv::Mat descriptors;
    const auto start = std::chrono::steady_clock::now();
    sift->detectAndCompute(image, cv::noArray(), keypoints, descriptors);
    elapsed += std::chrono::steady_clock::now() - start;
    ++images;
    features += keypoints.size();
  }
  std::printf("%zu images, %zu features, %.2f s, %.1f images/s\n", images, features,
              elapsed.count(), static_cast<double>(images) / elapsed.count());
  return images == 0 ? 3 : 0;
}
