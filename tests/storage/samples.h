#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/artefacts.h"
#include "base/error.h"
#include "base/random.h"
#include "storage/byte_stream.h"
#include "storage/index_types.h"
#include "tests/temporary_folder.h"

namespace lookalike {

Bytes read_bytes(const std::filesystem::path& file);
void write_bytes(const std::filesystem::path& file, ByteView bytes);

// Runs a function that must throw, and returns the error.
Error error_of(const std::function<void()>& call);

// Reproducible samples of every type, different for each number.
SourceFile sample_file(std::uint64_t number);
ImageRecord sample_image(std::uint64_t number);
ImageFeatures sample_features(std::uint64_t number, std::size_t count);
ImageWords sample_words(std::uint64_t number, std::size_t count, int word_count);
ImageToStore sample_to_store(std::uint64_t number, std::size_t count = 20, int word_count = 16);
Codebook sample_codebook(std::size_t words = 16, std::size_t descriptor_size = 4);
// Groups the words into three cells: the first 6, the next 1, and the rest.
Codebook with_cells(Codebook codebook);

}  // namespace lookalike
