// Adds `step` to a 64-bit sum; an addition per item. A source of its own, since some drivers refuse
// it.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void add_to_sum(volatile global ulong* sum, ulong step) { atom_add(sum, step); }
