// ADD(total, value): adds to a 64-bit sum that several work-items share.
// Before variance.cl and voting.cl.
// Build: -D INT64_ATOMICS: where 64-bit atomic addition works.
#ifdef INT64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define ADD atom_add
#else
// Adds in two halves; the lower half's carry goes to the upper one.
#define ADD add_halves
void add_halves(volatile global ulong* total, ulong value) {
  volatile global uint* halves = (volatile global uint*)total;
#ifndef __ENDIAN_LITTLE__
#error "the lower half must come first"
#endif
  const uint low = (uint)value;
  const uint carry = atomic_add(halves, low) > UINT_MAX - low ? 1 : 0;
  atomic_add(halves + 1, (uint)(value >> 32) + carry);
}
#endif
