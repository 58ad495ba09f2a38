// What a device can do at most: multiply-adds, reading and copying. VECTOR is a vector of floats
// that fills a register. On a GPU neighbours read neighbours; on a CPU, where BLOCK is above 1,
// each work-item walks a block of its own.

// Eight chains that do not depend on each other hide each other's latency. They are written out,
// since an array of them need not stay in registers.
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

// With STREAM, which a CPU's compiler knows, past the caches.
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

// Four sums, each over every fourth vector of the block.
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
