// The best groups of words seen so far by one work-item, best first, and the score of the next one.
// The wrapper passes SCORE and INDEX: float and uint, or vectors of them with a descriptor a lane,
// and KEPT, how many groups are kept: the m nearest words lie within the m best groups.
typedef struct {
  SCORE scores[KEPT + 1];
  INDEX groups[KEPT];
} Candidates;

void clear_candidates(Candidates* candidates) {
#pragma unroll
  for (int c = 0; c < KEPT; ++c) {
    candidates->scores[c] = (SCORE)(-INFINITY);
    candidates->groups[c] = (INDEX)(UINT_MAX);  // no group
  }
  candidates->scores[KEPT] = (SCORE)(-INFINITY);
}

// Inserts a group that comes after every group inserted before, so that equal scores keep the
// lower group in front. Scores that are not numbers are passed over.
void insert_candidate(Candidates* candidates, SCORE score, INDEX group) {
#pragma unroll
  for (int c = 0; c < KEPT; ++c) {
    const SCORE old_score = candidates->scores[c];
    const INDEX old_group = candidates->groups[c];
    candidates->scores[c] = select(old_score, score, score > old_score);
    candidates->groups[c] = select(old_group, group, score > old_score);
    group = select(group, old_group, score > old_score);
    score = select(score, old_score, score > old_score);
  }
  const SCORE next = candidates->scores[KEPT];
  candidates->scores[KEPT] = select(next, score, score > next);
}
