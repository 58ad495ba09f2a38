// Writes what the compiler of a CPU device may use: 2 AVX-512, 1 AVX2, 0 neither.
kernel void instruction_set(global int* level) {
#if defined(__AVX512F__)
  *level = 2;
#elif defined(__AVX2__)
  *level = 1;
#else
  *level = 0;
#endif
}
