// Before all other sources.

// One pattern to look for in one image. CorrelationJob on the host. Offsets count elements of their
// buffers. Pixels and patterns are taken less 128, which leaves the correlation unchanged and keeps
// every sum below 64 bits.
typedef struct {
  ulong image;       // uchar [image_height][image_pitch]
  ulong pattern;     // [pattern_height + 2 * margin][pattern_pitch], in the form's layout
  ulong sums;        // row sums [image_height][pitch]
  ulong statistics;  // window sums and inverse spreads [map_height][pitch]
  ulong map;         // products and correlations [map_height][pitch]
  long pixels;       // of the pattern
  long pattern_sum;
  long pattern_spread;  // pixels * sum of squares - square of the sum
  uint first[4];        // first block of this job in each kind of launch, see below
  int image_width;
  int image_height;
  int image_pitch;
  int pattern_width;
  int pattern_height;
  int pattern_pitch;
  int map_width;
  int map_height;
  int pitch;  // map_width rounded up, so that whole vectors stay within a row
  int unused;
} Job;

// Kinds of launches, by what one block is.
#define TILES 0    // positions that a form takes at a time
#define ROWS_OF 1  // a row of a map
#define RUNS 2     // a run of positions of a row of an image or map
#define COLUMNS 3  // some columns of some rows of a map

// Returns the job that a block of a launch belongs to.
uint find_job(global const Job* jobs, uint job_count, int kind, uint block) {
  uint low = 0;
  uint high = job_count;
  while (high - low > 1) {
    const uint middle = (low + high) / 2;
    if (jobs[middle].first[kind] <= block) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// The positions of a map that a work-group of a form's launch takes.
typedef struct {
  Job job;
  int left;
  int top;
} Tile;

// Returns the work-group's tile. Tiles of width x height positions lie side by side, row by row.
Tile tile_of(global const Job* jobs, uint job_count, int width, int height) {
  const uint block = get_group_id(0);
  Tile tile;
  tile.job = jobs[find_job(jobs, job_count, TILES, block)];
  const int index = (int)(block - tile.job.first[TILES]);
  const int tiles_x = (tile.job.map_width + width - 1) / width;
  tile.left = index % tiles_x * width;
  tile.top = index / tiles_x * height;
  return tile;
}
