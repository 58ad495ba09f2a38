// Vectors of 16 floats in a row, of which some may lie beyond its ends. For CPUs. The functions are
// not inlined, since these vectors are rare and there would be many copies to compile.
#define OUTLINE __attribute__((noinline))

// Pixels x to x + 15 of a row of the image, -1 for one beyond a border of zeros.
OUTLINE float16 load_sixteen(global const float* image, int row, int x, Shape shape) {
  if (row >= 0 && x >= 0 && x + 16 <= shape.columns) {
    return vload16(0, image + (long)row * shape.columns + x);
  }
  float pixels[16];
  for (int i = 0; i < 16; ++i) pixels[i] = pixel_or_border(image, row, x + i, shape);
  return vload16(0, pixels);
}

// Pixels x to x + 15 of a row of the result; those beyond its end are dropped.
OUTLINE void store_sixteen(float16 values, global float* result, int row, int x, Shape shape) {
  global float* out = result + (long)row * shape.result_columns + x;
  if (x + 16 <= shape.result_columns) {
    vstore16(values, 0, out);
    return;
  }
  float rest[16];
  vstore16(values, 0, rest);
  for (int i = 0; x + i < shape.result_columns; ++i) out[i] = rest[i];
}
