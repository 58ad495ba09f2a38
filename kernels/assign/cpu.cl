// The scan on a CPU: an item takes a panel of 32 descriptors, one per lane of two float16, and
// walks the words eight at a time, so that sixteen sums stay in vector registers. The panel stays
// in the first-level cache; the words stream past it, 2 bytes per multiply-add of a full vector.
// Products are added as a * b + c, which -cl-mad-enable makes one instruction where the device has
// it; PoCL's mad() is two.
// After candidates.cl, with SCORE float16.

// Transposes the panel's descriptors; rows past the end repeat the last one.
void load_panel(global const float* descriptors, uint first, uint n, float* panel) {
  for (uint lane = 0; lane < 32; ++lane) {
    global const float* row = descriptors + (ulong)min(first + lane, n - 1) * DIMENSIONS;
    for (uint i = 0; i < DIMENSIONS; ++i) panel[i * 32 + lane] = row[i];
  }
}

float16 best_of(const float16* scores) {
  float16 best = scores[0];
#pragma unroll
  for (int j = 1; j < 8; ++j) best = select(best, scores[j], scores[j] > best);
  return best;
}

void store_candidates(const Candidates* half_panel, uint first, uint n, global uint* groups,
                      global float* next_scores) {
  float next[16];
  uint group[16];
  vstore16(half_panel->scores[CANDIDATES], 0, next);
  for (uint lane = 0; lane < 16 && first + lane < n; ++lane) next_scores[first + lane] = next[lane];
  for (uint c = 0; c < CANDIDATES; ++c) {
    vstore16(half_panel->groups[c], 0, group);
    for (uint lane = 0; lane < 16 && first + lane < n; ++lane) {
      groups[(ulong)(first + lane) * CANDIDATES + c] = group[lane];
    }
  }
}

// Finds the best groups of each descriptor.
//   descriptors [n][DIMENSIONS]   words [group_count][DIMENSIONS][8]   half_norms [group_count * 8]
//   groups [n][CANDIDATES]        next_scores [n]: the best score of a group that is not in groups
kernel void scan_cpu(global const float* descriptors, global const float* words,
                     global const float* half_norms, uint n, uint group_count, global uint* groups,
                     global float* next_scores) {
  const uint first = get_global_id(0) * 32;
  if (first >= n) return;
  float16 panel[DIMENSIONS * 2];
  load_panel(descriptors, first, n, (float*)panel);
  Candidates low, high;
  clear_candidates(&low);
  clear_candidates(&high);
  for (uint g = 0; g < group_count; ++g) {
    global const float* group = words + (ulong)g * DIMENSIONS * 8;
    float16 low_scores[8], high_scores[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      low_scores[j] = (float16)(-half_norms[g * 8 + j]);
      high_scores[j] = low_scores[j];
    }
    for (uint i = 0; i < DIMENSIONS; ++i) {
      const float16 x_low = panel[i * 2];
      const float16 x_high = panel[i * 2 + 1];
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const float16 c = (float16)(group[i * 8 + j]);
        low_scores[j] += x_low * c;
        high_scores[j] += x_high * c;
      }
    }
    insert_candidate(&low, best_of(low_scores), (uint16)(g));
    insert_candidate(&high, best_of(high_scores), (uint16)(g));
  }
  store_candidates(&low, first, n, groups, next_scores);
  store_candidates(&high, first + 16, n, groups, next_scores);
}
