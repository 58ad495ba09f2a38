// The highest rates of a device: multiply-adds, copying and reading. On a GPU neighbours read
// neighbours; on a CPU each item walks a block of its own.
// Build: -D VECTOR: floats that fill a register, float to float16; BLOCK: vectors of an item of
// copy, 1 on a GPU, 1024 on a CPU; READS: of an item of read_all, a multiple of 4; STREAM: copy
// past the caches, on a CPU.

// Multiplies and adds in eight chains, which hide each other's latency. They are written out, since
// an array need not stay in registers.
kernel void multiply_add(global VECTOR* sums, float factor, float term, int rounds) {
  const VECTOR start = (VECTOR)(factor * get_global_id(0));
  VECTOR a = start, b = start + 1, c = start + 2, d = start + 3;
  VECTOR e = start + 4, f = start + 5, g = start + 6, h = start + 7;
  const VECTOR m = (VECTOR)(factor);
  const VECTOR t = (VECTOR)(term);
  for (int round = 0; round < rounds; ++round) {
    a = a * m + t;
    b = b * m + t;
    c = c * m + t;
    d = d * m + t;
    e = e * m + t;
    f = f * m + t;
    g = g * m + t;
    h = h * m + t;
  }
  sums[get_global_id(0)] = ((a + b) + (c + d)) + ((e + f) + (g + h));
}

// Copies.
kernel void copy(global const VECTOR* restrict from, global VECTOR* restrict to) {
  for (size_t i = 0; i < BLOCK; ++i) {
    const size_t at = get_global_id(0) * BLOCK + i;
#ifdef STREAM
    __builtin_nontemporal_store(from[at], to + at);
#else
    to[at] = from[at];
#endif
  }
}

// Reads and adds up, in four sums over every fourth vector.
kernel void read_all(global const VECTOR* restrict from, global VECTOR* restrict sums) {
  const size_t item = get_global_id(0);
  const size_t step = BLOCK > 1 ? 1 : get_global_size(0);
  global const VECTOR* own = from + (BLOCK > 1 ? item * READS : item);
  VECTOR a = 0, b = 0, c = 0, d = 0;
  for (size_t i = 0; i < READS; i += 4) {
    a += own[i * step];
    b += own[(i + 1) * step];
    c += own[(i + 2) * step];
    d += own[(i + 3) * step];
  }
  sums[item] = (a + b) + (c + d);
}
