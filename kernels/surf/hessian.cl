// Box-filter approximations of second derivatives on a 9-unit grid that is scaled to `side`.
//   Dxx: (0,2)-(3,7) +1, (3,2)-(6,7) -2, (6,2)-(9,7) +1; Dyy its transpose.
//   Dxy: (1,1)-(4,4) +1, (5,1)-(8,4) -1, (1,5)-(4,8) -1, (5,5)-(8,8) +1.
// Since 3 divides side, the boxes of one filter have one area: they are added up as integers and
// scaled once, so that every device finds the same bits.
// After common.cl.
// Build: -D CROSS_SHARE: kCrossShare.

// Returns k * side / 9, rounded; never a tie.
INLINE int grid_line(int side, int k) { return (2 * side * k + 9) / 18; }

// Returns the sum of the pixels between two rows of the integral image and columns [left, right).
INLINE int box(global const int* top, global const int* bottom, int left, int right) {
  return bottom[right] - bottom[left] - top[right] + top[left];
}

// Returns Dxx * Dyy - CROSS_SHARE * Dxy^2 of the filter at `corner`, and Dxx + Dyy in *trace; side
// and weights as in Layer.
INLINE float determinant_at(global const int* corner, int pitch, int side, float line_weight,
                            float cross_weight, float* trace) {
  const int third = side / 3;
  const int near = grid_line(side, 2), far = grid_line(side, 7);
  const int a = grid_line(side, 1), b = grid_line(side, 4);
  const int c = grid_line(side, 5), d = grid_line(side, 8);
  global const int* rows = corner;
#define ROW(y) (rows + (y)*pitch)
  const int xx = box(ROW(near), ROW(far), 0, side) - 3 * box(ROW(near), ROW(far), third, 2 * third);
  const int yy = box(ROW(0), ROW(side), near, far) - 3 * box(ROW(third), ROW(2 * third), near, far);
  const int xy = box(ROW(a), ROW(b), a, b) - box(ROW(a), ROW(b), c, d) -
                 box(ROW(c), ROW(d), a, b) + box(ROW(c), ROW(d), c, d);
#undef ROW
  const float dxx = (float)xx * line_weight;
  const float dyy = (float)yy * line_weight;
  const float dxy = (float)xy * cross_weight;
  *trace = dxx + dyy;
  return dxx * dyy - CROSS_SHARE * (dxy * dxy);
}

// Computes a row of samples. A constant step lets the compiler turn strided loads into shuffles,
// but each takes PoCL a third of a second, and steps from 8 on have a hundredth of all samples.
INLINE void hessian_row(global const int* restrict integral, int pitch, Layer layer, int step,
                        global float* restrict out) {
  for (int x = get_local_id(0); x < layer.sample_columns; x += LOCAL_SIZE) {
    float trace;
    out[x] = determinant_at(integral + x * step, pitch, layer.side, layer.line_weight,
                            layer.cross_weight, &trace);
  }
}

// Computes the maps of all layers. Group (row of samples of any layer, image). What lies outside
// the samples is never read.
kernel void hessian(global const Image* restrict images, global const Layer* restrict layers,
                    global const int* restrict integral, global float* restrict maps) {
  const Image image = images[get_group_id(1)];
  const int group = get_group_id(0), pitch = image.width + 1;
  if (group >= image.sample_rows) return;
  int index = image.first_layer;
  const int last = index + image.layer_count - 1;
  while (index < last && group >= layers[index + 1].first_sample_row) ++index;
  const Layer layer = layers[index];
  const int row = group - layer.first_sample_row;
  global const int* first = integral + image.integral + (size_t)(row * layer.step) * pitch;
  global float* out =
      maps + image.maps + layer.map + (row + layer.margin) * layer.columns + layer.margin;
  switch (layer.step) {
    case 1: hessian_row(first, pitch, layer, 1, out); break;
    case 2: hessian_row(first, pitch, layer, 2, out); break;
    case 4: hessian_row(first, pitch, layer, 4, out); break;
    default: hessian_row(first, pitch, layer, layer.step, out);
  }
}
