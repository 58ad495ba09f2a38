// From the groups of words that a scan found to the nearest words. Scores suffer from cancellation,
// so distances are summed directly here; where rounding may have hidden a nearer word from the
// scan, rescan compares all words.
// After candidates.cl, a scan and nearest.cl.
// Build: as candidates.cl, and -D ERROR_UNITS: units of rounding that a score may be off;
// GROUP_ITEMS: items of a group of refine_lanes, 64; RESCAN_ITEMS: of rescan, 64.

// Relative slack that a chosen word may have: half of the promised 1e-5, since the distances summed
// here carry a rounding error of their own.
#define SLACK 5e-6f
// Unit of rounding of float.
#define ROUNDING 0x1p-24f

float8 squared_distances_to(global const float4* x, global const float8* words, uint group) {
  words += (ulong)group * DIMENSIONS;
  float8 even = (float8)(0);
  float8 odd = (float8)(0);
  for (uint i = 0; i < DIMENSIONS; i += 4) {
    const float4 value = x[i / 4];
    const float8 a = value.x - words[i];
    const float8 b = value.y - words[i + 1];
    const float8 c = value.z - words[i + 2];
    const float8 d = value.w - words[i + 3];
    even += a * a;
    odd += b * b;
    even += c * c;
    odd += d * d;
  }
  return even + odd;
}

void insert_group(NearestWords* nearest, global const float4* x, global const float8* words,
                  uint group, uint k) {
  float distances[8];
  vstore8(squared_distances_to(x, words, group), 0, distances);
  for (uint j = 0; j < 8 && group * 8 + j < k; ++j) {
    insert_word(nearest, distances[j], group * 8 + j);
  }
}

// Returns the least squared distance that a word outside the groups can have. A score errs by at
// most ERROR_UNITS units of rounding of |x||c| + |c|^2/2, half the squared norm by at most as many
// of |x|^2/2 (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 3.1).
float least_distance_outside(float squared_norm, float next_score, float max_norm) {
  const float scale = sqrt(squared_norm) + max_norm;
  return squared_norm - 2 * next_score - ERROR_UNITS * ROUNDING * scale * scale;
}

// True if a word outside the groups may be nearer than the last of the nearest words.
bool is_uncertain(const NearestWords* nearest, float squared_norm, float next_score,
                 float max_norm) {
  const float limit = least_distance_outside(squared_norm, next_score, max_norm);
  return nearest->squared_distances[NEAREST - 1] > limit * (1 + SLACK);
}

// Finds the nearest words of each descriptor in its groups, and lists the rows that rescan must
// search.
//   descriptors [n][DIMENSIONS]   words [group_count][DIMENSIONS][8]   groups [n][CANDIDATES]
//   next_scores [n]   nearest_words, squared_distances [n][NEAREST]
//   uncertain: a count, then the rows
kernel void refine(global const float4* descriptors, global const float8* words,
                   global const uint* groups, global const float* next_scores, uint n, uint k,
                   float max_norm, global uint* nearest_words, global float* squared_distances,
                   volatile global uint* uncertain) {
  const uint row = get_global_id(0);
  if (row >= n) return;
  global const float4* x = descriptors + (ulong)row * (DIMENSIONS / 4);
  NearestWords nearest;
  clear_nearest(&nearest);
  for (uint c = 0; c < CANDIDATES; ++c) {
    const uint group = groups[(ulong)row * CANDIDATES + c];
    if (group != UINT_MAX) insert_group(&nearest, x, words, group, k);
  }
  store_nearest(&nearest, row, nearest_words, squared_distances);
  float4 squares = (float4)(0);
  for (uint i = 0; i < DIMENSIONS / 4; ++i) squares += x[i] * x[i];
  const float squared_norm = squares.x + squares.y + squares.z + squares.w;
  if (is_uncertain(&nearest, squared_norm, next_scores[row], max_norm)) {
    uncertain[1 + atomic_inc(uncertain)] = row;
  }
}

#define LANES 8
#define GROUP_ROWS (GROUP_ITEMS / LANES)

// Does the same on a GPU: eight items a row, each with one word of every group, so that the words
// of a group are read as whole lines. The first of the eight then puts the words in order.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void refine_lanes(
    global const float4* descriptors, global const float* words, global const uint* groups,
    global const float* next_scores, uint n, uint k, float max_norm, global uint* nearest_words,
    global float* squared_distances, volatile global uint* uncertain) {
  local float distances[GROUP_ROWS][CANDIDATES][LANES];
  const uint lane = get_local_id(0) % LANES;
  const uint line = get_local_id(0) / LANES;
  const uint row = get_global_id(0) / LANES;
  const bool is_row = row < n;
  float squared_norm = 0;
  for (uint c = 0; c < CANDIDATES && is_row; ++c) {
    const uint group = min(groups[(ulong)row * CANDIDATES + c], (k - 1) / LANES);
    global const float4* x = descriptors + (ulong)row * (DIMENSIONS / 4);
    global const float* word = words + (ulong)group * DIMENSIONS * LANES + lane;
    float even = 0, odd = 0, squares = 0;
    for (uint i = 0; i < DIMENSIONS / 4; ++i, word += 4 * LANES) {
      const float4 value = x[i];
      const float4 difference =
          value - (float4)(word[0], word[LANES], word[2 * LANES], word[3 * LANES]);
      even += difference.x * difference.x;
      odd += difference.y * difference.y;
      even += difference.z * difference.z;
      odd += difference.w * difference.w;
      squares += dot(value, value);
    }
    distances[line][c][lane] = even + odd;
    squared_norm = squares;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane > 0 || !is_row) return;
  NearestWords nearest;
  clear_nearest(&nearest);
  for (uint c = 0; c < CANDIDATES; ++c) {
    const uint group = groups[(ulong)row * CANDIDATES + c];
    if (group == UINT_MAX) continue;
    for (uint j = 0; j < LANES && group * LANES + j < k; ++j) {
      insert_word(&nearest, distances[line][c][j], group * LANES + j);
    }
  }
  store_nearest(&nearest, row, nearest_words, squared_distances);
  if (is_uncertain(&nearest, squared_norm, next_scores[row], max_norm)) {
    uncertain[1 + atomic_inc(uncertain)] = row;
  }
}

// Compares a descriptor with the item's share of groups first to end - 1.
void insert_groups_of_item(NearestWords* nearest, global const float4* x,
                           global const float8* words, uint first, uint end, uint k, uint item) {
  for (uint group = first + item; group < end; group += RESCAN_ITEMS) {
    insert_group(nearest, x, words, group, k);
  }
}

// Stores the nearest words that the items of a work-group found. All items call it.
void store_nearest_of_items(NearestWords* nearest, local NearestWords* found, uint item, uint row,
                            global uint* nearest_words, global float* squared_distances) {
  found[item] = *nearest;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item == 0) {
    for (uint other = 1; other < RESCAN_ITEMS; ++other) {
      for (uint m = 0; m < NEAREST; ++m) {
        insert_word(nearest, found[other].squared_distances[m], found[other].words[m]);
      }
    }
    store_nearest(nearest, row, nearest_words, squared_distances);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Compares every word with each uncertain row; the work-groups take rows in turn.
kernel __attribute__((reqd_work_group_size(RESCAN_ITEMS, 1, 1))) void rescan(
    global const float4* descriptors, global const float8* words, uint k,
    global uint* nearest_words, global float* squared_distances, global const uint* uncertain) {
  local NearestWords found[RESCAN_ITEMS];
  const uint item = get_local_id(0);
  for (uint d = get_group_id(0); d < uncertain[0]; d += get_num_groups(0)) {
    const uint row = uncertain[1 + d];
    NearestWords nearest;
    clear_nearest(&nearest);
    insert_groups_of_item(&nearest, descriptors + (ulong)row * (DIMENSIONS / 4), words, 0,
                          (k + 7) / 8, k, item);
    store_nearest_of_items(&nearest, found, item, row, nearest_words, squared_distances);
  }
}
