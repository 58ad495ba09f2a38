#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/image.h"

namespace lookalike {

// A binary 8-bit PGM file without comments. Throws Error(kInput) on any other.
inline GrayImage read_pgm(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  int width = 0;
  int height = 0;
  int most = 0;
  file >> magic >> width >> height >> most;
  file.get();
  if (!file || magic != "P5" || most != 255) {
    throw Error(ErrorKind::kInput, "PGM: not a binary 8-bit PGM file: " + path.string());
  }
  GrayImage image(width, height);
  file.read(reinterpret_cast<char*>(image.pixels.data()),
            static_cast<std::streamsize>(image.pixels.size()));
  return image;
}

}  // namespace lookalike
