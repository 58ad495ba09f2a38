#pragma once

#include "base/artefacts.h"
#include "storage/byte_stream.h"

// The payload of an artefact file's records, lossless. Decoding throws Error(kInput) when the bytes
// end early or go on, and never allocates more than they could fill.
namespace lookalike {

void encode(const ImageFeatures& record, ByteWriter& out);
void encode(const ImageStatistics& record, ByteWriter& out);
void encode(const ImageWords& record, ByteWriter& out);
void encode(const SkippedFile& record, ByteWriter& out);
// Throws Error(kInternal) when the matrices do not fit each other.
void encode(const Codebook& codebook, ByteWriter& out);

void decode(ByteReader& in, ImageFeatures& record);
void decode(ByteReader& in, ImageStatistics& record);
void decode(ByteReader& in, ImageWords& record);
void decode(ByteReader& in, SkippedFile& record);
void decode(ByteReader& in, Codebook& codebook);

}  // namespace lookalike
