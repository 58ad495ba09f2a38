// Correlations of templates with a level at many positions, WIDTH positions of ROWS rows per item.
#define JOIN_NOW(a, b) a##b
#define JOIN(a, b) JOIN_NOW(a, b)
#if WIDTH == 1
typedef float Floats;
typedef int Ints;
#define LOAD(at) (*(at))
#define STORE(value, at) (*(at) = (value))
#define COLUMNS 0
#else
typedef JOIN(float, WIDTH) Floats;
typedef JOIN(int, WIDTH) Ints;
#define LOAD(at) JOIN(vload, WIDTH)(0, at)
#define STORE(value, at) JOIN(vstore, WIDTH)(value, 0, at)
#if WIDTH == 8
#define COLUMNS ((Ints)(0, 1, 2, 3, 4, 5, 6, 7))
#else
#define COLUMNS ((Ints)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#endif
#endif

// As in templates.cl.
typedef struct {
  int left, top, right, bottom;
} Template;

typedef struct {
  int template_index, x, y;
  float score;
} Peak;

typedef struct {
  Floats sum[ROWS], square[ROWS], product[ROWS];
} Sums;

// Sums over the taps of a template, for ROWS rows from `level` on. `base` is subtracted from pixels.
void add_taps(Sums* sums, global const float* level, int pitch, global const int* offsets,
              global const float* values, int points, float base) {
  for (int row = 0; row < ROWS; ++row) {
    sums->sum[row] = 0;
    sums->square[row] = 0;
    sums->product[row] = 0;
  }
  for (int i = 0; i < points; ++i) {
    global const float* at = level + offsets[i];
    const float value = values[i];
#pragma unroll
    for (int row = 0; row < ROWS; ++row) {
      const Floats pixels = LOAD(at + row * pitch) - base;
      sums->sum[row] += pixels;
      sums->square[row] += pixels * pixels;
      sums->product[row] += pixels * value;
    }
  }
}

// FLAT where the window has no contrast: below what float sums can tell from none.
Floats score(Floats sum, Floats square, Floats product, int points, int either_polarity) {
  const Floats spread = square - sum * sum / points;
  Floats rho = clamp(product * rsqrt(spread), (Floats)-1.0f, (Floats)1.0f);
  if (either_polarity) rho = fabs(rho);
  return select((Floats)FLAT, rho, spread > square * FLAT_SHARE);
}

// Whether the template lies in the image, give or take SLACK px, in columns from x on.
Ints fits(Template rim, int x, int y, int width, int height) {
  const Ints column = x + COLUMNS;
  const int row_fits = y + rim.top >= -SLACK && y + rim.bottom < height + SLACK;
  return column + rim.left >= -SLACK && column + rim.right < width + SLACK &&
         (Ints)(row_fits ? -1 : 0);
}

// Of each `run` templates in turn, the best at each position: best and chosen are
// [runs][map_rows][map_pitch]. FLAT beats OUTSIDE, which is where no template fits in.
kernel void best_of_runs(global const float* level, int origin, int pitch, int width, int height,
                         global const Template* templates, int template_count, int run,
                         global const int* offsets, global const float* values, int points,
                         int either_polarity, global float* best, global int* chosen,
                         int map_pitch, int map_rows) {
  const int x = (int)get_global_id(0) * WIDTH;
  const int y = (int)get_global_id(1) * ROWS;
  const int number = (int)get_global_id(2);
  if (x >= map_pitch || y >= map_rows || number * run >= template_count) return;
  global const float* at = level + origin + y * pitch + x;
  Floats top_score[ROWS];
  Ints top_template[ROWS];
  for (int row = 0; row < ROWS; ++row) {
    top_score[row] = OUTSIDE;
    top_template[row] = 0;
  }
  const int end = min((number + 1) * run, template_count);
  for (int index = number * run; index < end; ++index) {
    const Template rim = templates[index];
    Sums sums;
    add_taps(&sums, at, pitch, offsets + (ulong)index * points, values + (ulong)index * points,
             points, 0.0f);
    for (int row = 0; row < ROWS; ++row) {
      Floats rho = score(sums.sum[row], sums.square[row], sums.product[row], points,
                         either_polarity);
      rho = select((Floats)OUTSIDE, rho, fits(rim, x, y + row, width, height));
      const Ints better = rho > top_score[row];
      top_score[row] = select(top_score[row], rho, better);
      top_template[row] = select(top_template[row], (Ints)index, better);
    }
  }
  const ulong out = ((ulong)number * map_rows + y) * map_pitch + x;
  for (int row = 0; row < ROWS; ++row) {
    STORE(top_score[row], best + out + (ulong)row * map_pitch);
    STORE(top_template[row], chosen + out + (ulong)row * map_pitch);
  }
}

// Positions of each run's map that reach min_score and are not below a neighbour (of equals, the
// first). counters: peaks, of which the first `capacity` are written; then flags, whether there are
// flat windows and whether there are others.
kernel void find_peaks(global const float* best, global const int* chosen, int width, int height,
                       int runs, int map_pitch, int map_rows, float min_score, global Peak* peaks,
                       uint capacity, global uint* counters) {
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  const int run = (int)get_global_id(2);
  if (x >= width || y >= height || run >= runs) return;
  const ulong first = (ulong)run * map_rows * map_pitch;
  const float here = best[first + (ulong)y * map_pitch + x];
  if (here == FLAT) counters[1] = 1;
  if (here > FLAT) counters[2] = 1;
  if (!(here >= min_score)) return;
  for (int i = 0; i < 9; ++i) {
    const int nx = x + i % 3 - 1;
    const int ny = y + i / 3 - 1;
    if (i == 4 || nx < 0 || ny < 0 || nx >= width || ny >= height) continue;
    const float there = best[first + (ulong)ny * map_pitch + nx];
    if (i < 4 ? there >= here : there > here) return;
  }
  const uint slot = atomic_inc(counters);
  if (slot < capacity) {
    peaks[slot] = (Peak){chosen[first + (ulong)y * map_pitch + x], x, y, here};
  }
}
