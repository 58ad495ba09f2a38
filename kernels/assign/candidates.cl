// The best groups of words seen so far by one work-item, best first, and the score of the next one.
// The score of a word c for x is x.c - |c|^2 / 2, which falls as the distance grows; the score of a
// group is that of its best word.
// Before cpu.cl, fused.cl or matrix.cl, then nearest.cl and refine.cl.
// Build, for all of these: -D DIMENSIONS: of descriptors, a multiple of 8; NEAREST: words wanted of
// a descriptor, 1 to 8; CANDIDATES: groups kept, NEAREST or one more, so that the nearest words lie
// within them; SCORE, INDEX: float and uint, or float16 and uint16 with a descriptor a lane.
typedef struct {
  SCORE scores[CANDIDATES + 1];
  INDEX groups[CANDIDATES];
} Candidates;

void clear_candidates(Candidates* candidates) {
#pragma unroll
  for (int c = 0; c < CANDIDATES; ++c) {
    candidates->scores[c] = (SCORE)(-INFINITY);
    candidates->groups[c] = (INDEX)(UINT_MAX);  // no group
  }
  candidates->scores[CANDIDATES] = (SCORE)(-INFINITY);
}

// Inserts a group above all groups inserted before, so that equal scores keep the lower group in
// front. Ignores scores that are not numbers.
void insert_candidate(Candidates* candidates, SCORE score, INDEX group) {
#pragma unroll
  for (int c = 0; c < CANDIDATES; ++c) {
    const SCORE old_score = candidates->scores[c];
    const INDEX old_group = candidates->groups[c];
    candidates->scores[c] = select(old_score, score, score > old_score);
    candidates->groups[c] = select(old_group, group, score > old_score);
    group = select(group, old_group, score > old_score);
    score = select(score, old_score, score > old_score);
  }
  const SCORE next = candidates->scores[CANDIDATES];
  candidates->scores[CANDIDATES] = select(next, score, score > next);
}
