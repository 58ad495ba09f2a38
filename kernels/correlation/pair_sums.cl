// Sums over two images of the same size.

// Sums under a mask: count, a, b, a^2, b^2, a*b, in this order. Items take blocks of 8 pixels in
// turn and write their own six sums. The host gives an item at most 8 * 2^16 pixels, so that 32
// bits hold what a lane adds up.
kernel void pair_sums(global const uchar* a, global const uchar* b, global const uchar* mask,
                      int has_mask, ulong pixels, global ulong* sums) {
  const ulong blocks = (pixels + 7) / 8;
  const uint8 lane = (uint8)(0, 1, 2, 3, 4, 5, 6, 7);
  uint8 count = 0;
  uint8 sum_a = 0;
  uint8 sum_b = 0;
  uint8 square_a = 0;
  uint8 square_b = 0;
  uint8 product = 0;
  for (ulong block = get_global_id(0); block < blocks; block += get_global_size(0)) {
    uint8 counts = has_mask ? convert_uint8(min(vload8(block, mask), (uchar8)1)) : (uint8)1;
    const uint left = (uint)min(pixels - block * 8, (ulong)8);
    counts = select((uint8)0, counts, lane < (uint8)left);
    const uint8 pixel_a = convert_uint8(vload8(block, a)) * counts;
    const uint8 pixel_b = convert_uint8(vload8(block, b)) * counts;
    count += counts;
    sum_a += pixel_a;
    sum_b += pixel_b;
    square_a += pixel_a * pixel_a;
    square_b += pixel_b * pixel_b;
    product += pixel_a * pixel_b;
  }
  const uint8 lanes[6] = {count, sum_a, sum_b, square_a, square_b, product};
  for (int i = 0; i < 6; ++i) {
    const ulong8 wide = convert_ulong8(lanes[i]);
    const ulong4 half_sum = wide.lo + wide.hi;
    const ulong2 quarter_sum = half_sum.lo + half_sum.hi;
    sums[get_global_id(0) * 6 + i] = quarter_sum.x + quarter_sum.y;
  }
}
