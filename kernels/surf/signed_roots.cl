// Descriptor normalisation by signed square roots.
// Last source of a CPU's program (see common.cl); on a GPU a program by itself.
// Build: -D DESCRIPTOR_SIZE: 64 or 128.
#pragma OPENCL FP_CONTRACT OFF

// Takes signed square roots of a descriptor and scales it to length 1; an item each. The sum runs
// in the order of the values, so that every device that rounds exactly gives the same bits.
// descriptors [n][DESCRIPTOR_SIZE]
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
