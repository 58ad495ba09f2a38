// The image halved again and again, for the descriptors of large keypoints. Each level has half the
// columns and rows of the one before, without a last odd one, and its quads stand behind that
// level's. Pixel (x, y) of a level is the rounded mean of the four pixels from (2 x, 2 y) on.
// After common.cl.

// Quads [height][width] from `at` on, packed as by integral.cl.
typedef struct {
  long at;
  int width, height;
} Level;

INLINE Level halved(Level level) {
  level.at += (long)level.width * level.height;
  level.width /= 2;
  level.height /= 2;
  return level;
}

// Returns the rounded mean of a quad's pixels.
INLINE uint mean_of(uint quad) {
  const uint columns = (quad & 0xff00ff) + (quad >> 8 & 0xff00ff);
  return ((columns & 0xffff) + (columns >> 16) + 2) >> 2;
}

// Makes the level after `halvings` from the one before. Group (row of the level, image).
kernel void halve(global const Image* restrict images, int halvings, global uint* quads) {
  const Image image = images[get_group_id(1)];
  if (halvings > image.halvings) return;
  Level from, to = {image.quads, image.width, image.height};
  for (int i = 0; i < halvings; ++i) {
    from = to;
    to = halved(to);
  }
  const int row = get_group_id(0);
  if (row >= to.height) return;
  global const uint* here = quads + from.at + (size_t)(2 * row) * from.width;
  global const uint* below = here + (row + 1 < to.height ? 2 * from.width : 0);
  global uint* out = quads + to.at + (size_t)row * to.width;
  for (int x = get_local_id(0); x < to.width; x += LOCAL_SIZE) {
    const int left = 2 * x, right = 2 * min(x + 1, to.width - 1);
    out[x] = mean_of(here[left]) | mean_of(here[right]) << 8 | mean_of(below[left]) << 16 |
             mean_of(below[right]) << 24;
  }
}
