// Sum of window times pattern at every position with a GPU's byte dot products: an item has four
// positions side by side and BAND below one another, and reads the four "quads" that start at its
// pixels, four pixels each, out of two neighbouring words.
// After staging.cl.
// Build: as staging.cl, and -D PTX: dp4a, on NVIDIA.
#define ITEMS_X (TILE_WIDTH / 4)

// Adds the dot product of four unsigned and four signed bytes.
int add_dot_product(int sum, uint pixels, uint pattern) {
#ifdef PTX
  __asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(pixels), "r"(pattern));
  return sum;
#else
  const int4 products = convert_int4(as_uchar4(pixels)) * convert_int4(as_char4(pattern));
  return sum + products.x + products.y + products.z + products.w;
#endif
}

void add_line(int4* sums, local const uint* line, local const uint* piece, int row,
              int pattern_height) {
  uint low = line[0];
  for (int word = 0; word < STRIP_WORDS; ++word) {
    const uint high = line[word + 1];
    const uint quad1 = low >> 8 | high << 24;
    const uint quad2 = low >> 16 | high << 16;
    const uint quad3 = low >> 24 | high << 8;
#pragma unroll
    for (int i = 0; i < BAND; ++i) {
      const uint pattern = piece[word - i * PIECE_PITCH];
      sums[i].x = add_dot_product(sums[i].x, low, pattern);
      sums[i].y = add_dot_product(sums[i].y, quad1, pattern);
      sums[i].z = add_dot_product(sums[i].z, quad2, pattern);
      sums[i].w = add_dot_product(sums[i].w, quad3, pattern);
    }
    low = high;
  }
}

int first_of_window(void) {
  const int item = (int)get_local_id(0);
  return item / ITEMS_X * BAND * WINDOW_WORDS + item % ITEMS_X;
}

int first_of_piece(void) {
  return (BAND - 1) * PIECE_PITCH;
}

int4 four_of(const int4* sums, int i) {
  return sums[i];
}

int2 place_of(const Tile* tile, int i) {
  const int item = (int)get_local_id(0);
  return (int2)(tile->left + item % ITEMS_X * 4, tile->top + item / ITEMS_X * BAND + i);
}
