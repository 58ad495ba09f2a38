// Descriptor normalisation: signed square roots, scaled to length 1. The sum runs in the order of
// the values, so that every device that rounds exactly gives the same bits.
#pragma OPENCL FP_CONTRACT OFF

// Item: a descriptor; descriptors [n][DESCRIPTOR_SIZE].
kernel void signed_roots(uint n, global float* descriptors) {
  const size_t k = get_global_id(0);
  if (k >= n) return;
  global float* values = descriptors + k * DESCRIPTOR_SIZE;
  float squares = 0;
  for (int i = 0; i < DESCRIPTOR_SIZE; ++i) {
    const float root = copysign(sqrt(fabs(values[i])), values[i]);
    values[i] = root;
    squares += root * root;
  }
  if (squares <= 0) return;
  const float length = sqrt(squares);
  for (int i = 0; i < DESCRIPTOR_SIZE; ++i) values[i] /= length;
}
