// Refinement on a CPU: the 5 x 5 positions in the first lanes of five vectors.
// After common.cl and scores.cl, with WIDTH 8 and ROWS 5.

// Moves a try to the best of the 5 x 5 positions around it; an item per try.
kernel void refine(global const float* level, Level place, global const Template* templates,
                   global const int* offsets, global const float* values, Search search,
                   global Peak* tries) {
  const int index = (int)get_global_id(0);
  if (index >= search.count) return;
  Peak here = tries[index];
  const Template rim = templates[here.template_index];
  const ulong first = (ulong)here.template_index * search.points;
  const int left = here.x - 2;
  const int top = here.y - 2;
  Sums sums;
  // Subtracting one of the pixels keeps sums of many taps small where contrast is low.
  global const float* at = level + place.origin + top * place.pitch + left;
  add_taps(&sums, at, place.pitch, offsets + first, values + first, search.points, *at);
  here.score = OUTSIDE;
  for (int row = 0; row < ROWS; ++row) {
    float rho[WIDTH];
    STORE(select((Floats)OUTSIDE,
                 score(sums.sum[row], sums.square[row], sums.product[row],
                       search.points, search.either_polarity),
                 fits(rim, left, top + row, place.width, place.height)),
          rho);
    for (int column = 0; column < 5; ++column) {
      if (rho[column] > here.score) {
        here = (Peak){here.template_index, left + column, top + row, rho[column]};
      }
    }
  }
  tries[index] = here;
}
