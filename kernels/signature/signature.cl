// Signatures of descriptors under their words. Each sum runs in the order of the dimensions and no
// product is fused with an addition, so that every device gives the bits of the host.
// Build: -D DIMENSIONS: of descriptors.
#pragma OPENCL FP_CONTRACT OFF

// Returns a bit for each projection that is above its threshold.
uint compare(float16 projections, global const float* thresholds) {
  const int16 above = projections > vload16(0, thresholds);  // -1 where true
  const uint16 bits = as_uint16(above) & (uint16)(1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5,
                                                  1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11,
                                                  1 << 12, 1 << 13, 1 << 14, 1 << 15);
  const uint8 eight = bits.lo | bits.hi;
  const uint4 four = eight.lo | eight.hi;
  const uint2 two = four.lo | four.hi;
  return two.x | two.y;
}

// Computes a signature per descriptor; an item each.
//   descriptors [n][DIMENSIONS]   words [n]   axes [DIMENSIONS][64]   thresholds [k][64]
//   signatures [n]
kernel void signatures(global const float* restrict descriptors, global const uint* restrict words,
                       uint n, global const float* restrict axes,
                       global const float* restrict thresholds,
                       global ulong* restrict signatures_out) {
  const size_t row = get_global_id(0);
  if (row >= n) return;
  global const float* x = descriptors + row * DIMENSIONS;
  float16 a = (float16)(0), b = (float16)(0), c = (float16)(0), d = (float16)(0);
  for (uint i = 0; i < DIMENSIONS; ++i) {
    global const float* axis = axes + i * 64;
    a += x[i] * vload16(0, axis);
    b += x[i] * vload16(1, axis);
    c += x[i] * vload16(2, axis);
    d += x[i] * vload16(3, axis);
  }
  global const float* limits = thresholds + (size_t)words[row] * 64;
  const ulong low = compare(a, limits) | compare(b, limits + 16) << 16;
  const ulong high = compare(c, limits + 32) | compare(d, limits + 48) << 16;
  signatures_out[row] = low | high << 32;
}
