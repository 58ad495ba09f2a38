#pragma once

#include "stages/decode/bytes.h"
#include "stages/decode/file_description.h"

namespace lookalike {

// Describes a HEIC or AVIF file (ISO 23008-12); codec and trailer included.
FileDescription describe_heif(ByteSpan file);

// True if any of the texts occurs in the bytes.
bool has_any_text(ByteSpan bytes, std::span<const std::string_view> texts);

}  // namespace lookalike
