// The scan of matrix.cl, limited to the words of each descriptor's cells. A cell is padded to whole
// blocks by words too far away to be the nearest of a descriptor; a padded index counts these, too.
// A warp scans the cell of a panel. The candidates of a descriptor's pairs are then merged, and
// refined like those of a scan of all words.
// After matrix.cl, refine.cl and cell_pairs.cl.
// Build: as all three. PANEL is 16 * ROW_TILES.

// Finds the best groups of each pair.
//   descriptors [n][DIMENSIONS]   words, half_norms: as for scan_matrix, padded
//   pairs, panels: as in cell_pairs.cl, cells as runs of blocks
//   groups [n * PROBES][CANDIDATES]   scores [n * PROBES][CANDIDATES + 1]: as in Candidates
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void scan_matrix_cells(
    global const float2* descriptors, global const uint4* words, global const float2* half_norms,
    global const uint* pairs, global const Panel* panels, global const uint* panel_count,
    global uint* groups, global float* scores) {
  local Candidates found[GROUP_ITEMS];
  const uint item = get_local_id(0);
  const uint lane = item % WARP;
  const uint warp = get_global_id(0) / WARP;
  Panel panel = {0, 1, 0, 0};
  const bool is_panel = warp < *panel_count;
  if (is_panel) panel = panels[warp];
  uint high[ROW_TILES][STEPS][4], low[ROW_TILES][STEPS][4];
#pragma unroll
  for (int t = 0; t < ROW_TILES; ++t) {
    // Rows past the panel's end repeat its last one.
    const uint last = panel.pairs - 1;
    const uint rows[2] = {
        pairs[panel.first_pair + min(row_of(lane, t * 2), last)] / PROBES,
        pairs[panel.first_pair + min(row_of(lane, t * 2 + 1), last)] / PROBES};
    load_rows(descriptors, rows, lane, high[t], low[t]);
  }
  Candidates candidates[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) clear_candidates(&candidates[r]);
  scan_blocks(high, low, words, half_norms, lane, panel.first, panel.end, candidates);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    merge_lanes(&candidates[r], found, item);
    const uint row = row_of(lane, r);
    if (lane % 4 == 0 && is_panel && row < panel.pairs) {
      const ulong pair = pairs[panel.first_pair + row];
      for (int c = 0; c < CANDIDATES; ++c) {
        groups[pair * CANDIDATES + c] = candidates[r].groups[c];
      }
      for (int c = 0; c <= CANDIDATES; ++c) {
        scores[pair * (CANDIDATES + 1) + c] = candidates[r].scores[c];
      }
    }
  }
}

// Merges the groups of each descriptor's pairs into those of the descriptor.
//   groups_of_pairs, scores_of_pairs: as from scan_matrix_cells
//   groups [n][CANDIDATES], next_scores [n]: as from scan_matrix
kernel void merge_cells(global const uint* groups_of_pairs, global const float* scores_of_pairs,
                        uint n, global uint* groups, global float* next_scores) {
  const uint row = get_global_id(0);
  if (row >= n) return;
  Candidates candidates;
  clear_candidates(&candidates);
  for (ulong pair = row * (ulong)PROBES; pair < (row + 1UL) * PROBES; ++pair) {
    Candidates of_pair;
    for (int c = 0; c < CANDIDATES; ++c) of_pair.groups[c] = groups_of_pairs[pair * CANDIDATES + c];
    for (int c = 0; c <= CANDIDATES; ++c) {
      of_pair.scores[c] = scores_of_pairs[pair * (CANDIDATES + 1) + c];
    }
    merge_candidates(&candidates, &of_pair);
  }
  for (int c = 0; c < CANDIDATES; ++c) {
    groups[(ulong)row * CANDIDATES + c] = candidates.groups[c];
  }
  next_scores[row] = candidates.scores[CANDIDATES];
}

// Compares each uncertain row with every word of its cells; the work-groups take rows in turn.
//   cells [n][PROBES]   starts [cells + 1]: first block of each cell, and the end
kernel __attribute__((reqd_work_group_size(RESCAN_ITEMS, 1, 1))) void rescan_cells(
    global const float4* descriptors, global const float8* words, uint k, global const uint* cells,
    global const uint* starts, global uint* nearest_words, global float* squared_distances,
    global const uint* uncertain) {
  local NearestWords found[RESCAN_ITEMS];
  const uint item = get_local_id(0);
  for (uint d = get_group_id(0); d < uncertain[0]; d += get_num_groups(0)) {
    const uint row = uncertain[1 + d];
    NearestWords nearest;
    clear_nearest(&nearest);
    for (uint rank = 0; rank < PROBES; ++rank) {
      const uint cell = cells[(ulong)row * PROBES + rank];
      insert_groups_of_item(&nearest, descriptors + (ulong)row * (DIMENSIONS / 4), words,
                            starts[cell] * 4, starts[cell + 1] * 4, k, item);
    }
    store_nearest_of_items(&nearest, found, item, row, nearest_words, squared_distances);
  }
}

// Turns padded indexes into words.
//   padded_words [count]: changed   words [padded words]
kernel void unpad_words(global uint* padded_words, uint count, global const uint* words) {
  const uint i = get_global_id(0);
  if (i < count) padded_words[i] = words[padded_words[i]];
}
