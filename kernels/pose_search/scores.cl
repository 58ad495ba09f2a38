// Correlations of templates with a level at many positions.
// After common.cl.
// Build: -D WIDTH, ROWS: columns and rows of positions of an item, 16 x 4 on a CPU, 1 x 4 on a GPU;
// as refine_vector.cl and refine_group.cl say for those; SLACK: kPoseSlackPx; FLAT_SHARE:
// kPoseFlatShare; FLAT, OUTSIDE: the scores kPoseFlat and kPoseOutside.
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

// What is compared. Search on the host.
typedef struct {
  int points;           // taps of a template
  int either_polarity;  // whether |rho| counts
  int count;            // of templates, or of tries
  int run;              // successive templates per run; a position keeps the best of each run
} Search;

// The scores of runs of templates: [runs][rows][pitch], for width x height positions. ScoreMap on
// the host.
typedef struct {
  int runs, rows, pitch, width, height;
} Map;

typedef struct {
  int template_index, x, y;
  float score;
} Peak;

typedef struct {
  Floats sum[ROWS], square[ROWS], product[ROWS];
} Sums;

// Sums over the taps of a template, for ROWS rows from `level` on, of pixels less `base`.
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

// Returns rho, or FLAT where the window's contrast is below what float sums can tell from none.
Floats score(Floats sum, Floats square, Floats product, int points, int either_polarity) {
  const Floats spread = square - sum * sum / points;
  Floats rho = clamp(product * rsqrt(spread), (Floats)-1.0f, (Floats)1.0f);
  if (either_polarity) rho = fabs(rho);
  return select((Floats)FLAT, rho, spread > square * FLAT_SHARE);
}

// True if the template lies in the image, give or take SLACK px; for the columns from x on.
Ints fits(Template rim, int x, int y, int width, int height) {
  const Ints column = x + COLUMNS;
  const int row_fits = y + rim.top >= -SLACK && y + rim.bottom < height + SLACK;
  return column + rim.left >= -SLACK && column + rim.right < width + SLACK &&
         (Ints)(row_fits ? -1 : 0);
}

// Keeps the best score and its template of each run of templates, at each position: `best` and
// `chosen` are maps. FLAT beats OUTSIDE, which is where no template fits in.
kernel void best_of_runs(global const float* level, Level place, global const Template* templates,
                         global const int* offsets, global const float* values, Search search,
                         Map map, global float* best, global int* chosen) {
  const int x = (int)get_global_id(0) * WIDTH;
  const int y = (int)get_global_id(1) * ROWS;
  const int number = (int)get_global_id(2);
  if (x >= map.pitch || y >= map.rows || number * search.run >= search.count) return;
  global const float* at = level + place.origin + y * place.pitch + x;
  Floats top_score[ROWS];
  Ints top_template[ROWS];
  for (int row = 0; row < ROWS; ++row) {
    top_score[row] = OUTSIDE;
    top_template[row] = 0;
  }
  const int end = min((number + 1) * search.run, search.count);
  for (int index = number * search.run; index < end; ++index) {
    const Template rim = templates[index];
    Sums sums;
    const ulong first = (ulong)index * search.points;
    add_taps(&sums, at, place.pitch, offsets + first, values + first, search.points, 0.0f);
    for (int row = 0; row < ROWS; ++row) {
      Floats rho = score(sums.sum[row], sums.square[row], sums.product[row],
                         search.points, search.either_polarity);
      rho = select((Floats)OUTSIDE, rho, fits(rim, x, y + row, place.width, place.height));
      const Ints better = rho > top_score[row];
      top_score[row] = select(top_score[row], rho, better);
      top_template[row] = select(top_template[row], (Ints)index, better);
    }
  }
  const ulong out = ((ulong)number * map.rows + y) * map.pitch + x;
  for (int row = 0; row < ROWS; ++row) {
    STORE(top_score[row], best + out + (ulong)row * map.pitch);
    STORE(top_template[row], chosen + out + (ulong)row * map.pitch);
  }
}

// Lists the positions of each map whose score reaches min_score and is not below a neighbour's (of
// equals, the first counts).
//   peaks [capacity]: in any order; none are written beyond the capacity
//   counters [3], zero at the start: number of peaks, also beyond the capacity; 1 if a window is
//   flat; 1 if a window is not
kernel void find_peaks(global const float* best, global const int* chosen, Map map, float min_score,
                       global Peak* peaks, uint capacity, global uint* counters) {
  const int x = (int)get_global_id(0);
  const int y = (int)get_global_id(1);
  const int run = (int)get_global_id(2);
  if (x >= map.width || y >= map.height || run >= map.runs) return;
  const ulong first = (ulong)run * map.rows * map.pitch;
  const float here = best[first + (ulong)y * map.pitch + x];
  if (here == FLAT) counters[1] = 1;
  if (here > FLAT) counters[2] = 1;
  if (!(here >= min_score)) return;
  for (int i = 0; i < 9; ++i) {
    const int nx = x + i % 3 - 1;
    const int ny = y + i / 3 - 1;
    if (i == 4 || nx < 0 || ny < 0 || nx >= map.width || ny >= map.height) continue;
    const float there = best[first + (ulong)ny * map.pitch + nx];
    if (i < 4 ? there >= here : there > here) return;
  }
  const uint slot = atomic_inc(counters);
  if (slot < capacity) {
    peaks[slot] = (Peak){chosen[first + (ulong)y * map.pitch + x], x, y, here};
  }
}
