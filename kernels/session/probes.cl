// Small kernels that find out what a device can do.

// What the compiler of a CPU device may use: 2 AVX-512, 1 AVX2, 0 neither.
kernel void instruction_set(global int* level) {
#if defined(__AVX512F__)
  *level = 2;
#elif defined(__AVX2__)
  *level = 1;
#else
  *level = 0;
#endif
}

// Adds `step` to a 64-bit sum, one addition per work-item.
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void add_to_sum(volatile global ulong* sum, ulong step) { atom_add(sum, step); }
#endif
