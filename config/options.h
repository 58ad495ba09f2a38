#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/image_formats.h"

// The configuration: one plain struct per table of config/options.def, with the defaults. Numbers
// have 0 for "auto".
namespace lookalike {

#define TABLE(Struct, table, meaning, ...) struct Struct __VA_OPT__( : __VA_ARGS__) {
#define PART(Struct, table) struct Struct {
#define KEY(Type, key, initial, ...) Type key = initial;
#define NAMED_KEY KEY
#define END_TABLE(Struct)                         \
  bool operator==(const Struct&) const = default; \
  }                                               \
  ;
#include "config/options.def"

struct RunConfig {
#define TABLE(Struct, table, ...) Struct table;
#define PART(...)
#define KEY(...)
#define NAMED_KEY(...)
#define END_TABLE(Struct)
#include "config/options.def"

  bool operator==(const RunConfig&) const = default;
};

}  // namespace lookalike
