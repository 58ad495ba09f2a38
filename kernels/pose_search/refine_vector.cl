// For CPUs, after scores.cl with WIDTH 8 and ROWS 5: one item per try, its 5 x 5 positions in the
// first lanes of five vectors.
kernel void refine(global const float* level, int origin, int pitch, int width, int height,
                   global const Template* templates, global const int* offsets,
                   global const float* values, int points, int either_polarity, int count,
                   global Peak* tries) {
  const int index = (int)get_global_id(0);
  if (index >= count) return;
  Peak here = tries[index];
  const Template rim = templates[here.template_index];
  const ulong first = (ulong)here.template_index * points;
  const int left = here.x - 2;
  const int top = here.y - 2;
  Sums sums;
  // A pixel of theirs is subtracted: sums of many taps stay small where contrast is low.
  global const float* at = level + origin + top * pitch + left;
  add_taps(&sums, at, pitch, offsets + first, values + first, points, *at);
  here.score = OUTSIDE;
  for (int row = 0; row < ROWS; ++row) {
    float rho[WIDTH];
    STORE(select((Floats)OUTSIDE,
                 score(sums.sum[row], sums.square[row], sums.product[row], points,
                       either_polarity),
                 fits(rim, left, top + row, width, height)),
          rho);
    for (int column = 0; column < 5; ++column) {
      if (rho[column] > here.score) {
        here = (Peak){here.template_index, left + column, top + row, rho[column]};
      }
    }
  }
  tries[index] = here;
}
