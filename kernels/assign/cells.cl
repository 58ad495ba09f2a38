// Finds the nearest words of each pair in its cell, then of each descriptor. Distances are summed
// directly, 64 dimensions at a time, so that rounding stays
// below a relative 5e-6 for longer descriptors, too.
// After nearest.cl and cell_pairs.cl.
// Build: as both, and -D DIMENSIONS: of descriptors, a multiple of 8. PANEL is 16 for cells_panels
// and 32 for cells_items.

#define PART 64

// Transposes the descriptors of the panel; lanes past the end repeat the last one.
void load_panel(global const float* descriptors, global const uint* pairs, Panel panel,
                float* lanes) {
  for (uint lane = 0; lane < 16; ++lane) {
    const uint row = pairs[panel.first_pair + min(lane, panel.pairs - 1)] / PROBES;
    global const float* values = descriptors + (ulong)row * DIMENSIONS;
    for (uint i = 0; i < DIMENSIONS; ++i) lanes[i * 16 + lane] = values[i];
  }
}

// Inserts a word above all words inserted before.
void insert_lanes(float16* squared_distances, uint16* words, float16 distance, uint16 word) {
#pragma unroll
  for (int m = 0; m < NEAREST; ++m) {
    const float16 old_distance = squared_distances[m];
    const uint16 old_word = words[m];
    const int16 is_nearer = distance < old_distance;
    squared_distances[m] = select(old_distance, distance, is_nearer);
    words[m] = select(old_word, word, is_nearer);
    distance = select(distance, old_distance, is_nearer);
    word = select(word, old_word, is_nearer);
  }
}

void store_lanes(const float16* squared_distances, const uint16* words, global const uint* pairs,
                 Panel panel, global uint* found_words, global float* found_distances) {
  float distances[16];
  uint indexes[16];
  for (uint m = 0; m < NEAREST; ++m) {
    vstore16(squared_distances[m], 0, distances);
    vstore16(words[m], 0, indexes);
    for (uint lane = 0; lane < panel.pairs; ++lane) {
      const ulong at = (ulong)pairs[panel.first_pair + lane] * NEAREST + m;
      found_words[at] = indexes[lane];
      found_distances[at] = distances[lane];
    }
  }
}

// Finds the nearest words of each pair on a CPU: an item takes a panel, a pair a lane, and eight
// words at a time.
//   descriptors [n][DIMENSIONS]   words [k][DIMENSIONS]   pairs, panels: as in cell_pairs.cl
//   found_words, found_distances [n][PROBES][NEAREST]; a cell with fewer words is filled up with
//   word 0 at an infinite distance
kernel void cells_panels(global const float* descriptors, global const float* words,
                         global const uint* pairs, global const Panel* panels,
                         global const uint* panel_count, global uint* found_words,
                         global float* found_distances) {
  if (get_global_id(0) >= *panel_count) return;
  const Panel panel = panels[get_global_id(0)];
  float16 lanes[DIMENSIONS];
  load_panel(descriptors, pairs, panel, (float*)lanes);
  float16 nearest[NEAREST];
  uint16 nearest_words[NEAREST];
  for (int m = 0; m < NEAREST; ++m) {
    nearest[m] = (float16)(INFINITY);
    nearest_words[m] = (uint16)(0);
  }
  for (uint word = panel.first; word < panel.end; word += 8) {
    global const float* rows[8];
    float16 sums[8];
    for (int j = 0; j < 8; ++j) {
      rows[j] = words + (ulong)min(word + j, panel.end - 1) * DIMENSIONS;
      sums[j] = (float16)(0);
    }
    for (uint part = 0; part < DIMENSIONS; part += PART) {
      float16 part_sums[8];
#pragma unroll
      for (int j = 0; j < 8; ++j) part_sums[j] = (float16)(0);
      for (uint i = part; i < min(part + PART, (uint)DIMENSIONS); ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j) {
          const float16 difference = lanes[i] - (float16)(rows[j][i]);
          part_sums[j] += difference * difference;
        }
      }
#pragma unroll
      for (int j = 0; j < 8; ++j) sums[j] += part_sums[j];
    }
    for (uint j = 0; j < 8 && word + j < panel.end; ++j) {
      insert_lanes(nearest, nearest_words, sums[j], (uint16)(word + j));
    }
  }
  store_lanes(nearest, nearest_words, pairs, panel, found_words, found_distances);
}

// Does the same on a GPU: a work-group takes a panel, an item one pair, whose descriptor stays in
// registers; all items of a group read the same word.
kernel __attribute__((reqd_work_group_size(PANEL, 1, 1))) void cells_items(
    global const float4* descriptors, global const float4* words, global const uint* pairs,
    global const Panel* panels, global const uint* panel_count, global uint* found_words,
    global float* found_distances) {
  if (get_group_id(0) >= *panel_count) return;
  const Panel panel = panels[get_group_id(0)];
  const uint lane = get_local_id(0);
  if (lane >= panel.pairs) return;
  const uint pair = pairs[panel.first_pair + lane];
  float4 values[DIMENSIONS / 4];
#pragma unroll
  for (uint i = 0; i < DIMENSIONS / 4; ++i) {
    values[i] = descriptors[(ulong)(pair / PROBES) * (DIMENSIONS / 4) + i];
  }
  NearestWords nearest;
  clear_nearest(&nearest);
  for (uint word = panel.first; word < panel.end; ++word) {
    global const float4* row = words + (ulong)word * (DIMENSIONS / 4);
    float4 sums = (float4)(0);
#pragma unroll
    for (uint i = 0; i < DIMENSIONS / 4; ++i) {
      const float4 difference = values[i] - row[i];
      sums += difference * difference;
    }
    const float distance = sums.x + sums.y + (sums.z + sums.w);
    if (distance < nearest.squared_distances[NEAREST - 1]) insert_word(&nearest, distance, word);
  }
  store_nearest(&nearest, pair, found_words, found_distances);
}

// Merges the nearest words of each descriptor's cells.
//   found_words, found_distances [n][PROBES][NEAREST]
//   nearest_words, squared_distances [n][NEAREST]
kernel void cells_merge(global const uint* found_words, global const float* found_distances, uint n,
                        global uint* nearest_words, global float* squared_distances) {
  const uint row = get_global_id(0);
  if (row >= n) return;
  NearestWords nearest;
  clear_nearest(&nearest);
  for (uint i = 0; i < PROBES * NEAREST; ++i) {
    const ulong at = (ulong)row * PROBES * NEAREST + i;
    insert_word(&nearest, found_distances[at], found_words[at]);
  }
  store_nearest(&nearest, row, nearest_words, squared_distances);
}
