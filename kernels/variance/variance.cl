// Sums of grey levels and of their squares, exactly. An image is cut into chunks of CHUNK_BLOCKS
// blocks of 16 pixels; a work-group of GROUP_ITEMS work-items takes a chunk. Each image starts at a
// multiple of 16 bytes, so that a block is one load.
//   images [n]: first byte, pixels, first chunk, end of its chunks
#ifdef ATOMIC
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

// Adds blocks of [first, end), every GROUP_ITEMS-th from this work-item's on, and returns the sum
// and the sum of squares. A lane's sum holds 257 grey levels in 16 bits, and its squares, which fit
// 16 bits themselves, 66051 in 32.
#define RUN_BLOCKS 256
ulong2 add_blocks(global const uchar16* blocks, uint first, uint end) {
  uint16 sums = (uint16)(0);
  uint16 squares = (uint16)(0);
  for (uint run = first; run < end; run += RUN_BLOCKS * GROUP_ITEMS) {
    const uint run_end = min(end, run + RUN_BLOCKS * GROUP_ITEMS);
    ushort16 run_sums = (ushort16)(0);
    for (uint block = run; block < run_end; block += GROUP_ITEMS) {
      const ushort16 pixels = convert_ushort16(blocks[block]);
      run_sums += pixels;
      squares += convert_uint16(pixels * pixels);
    }
    sums += convert_uint16(run_sums);
  }
  const ulong8 wide = convert_ulong8(squares.lo) + convert_ulong8(squares.hi);
  const ulong4 four = wide.lo + wide.hi;
  const uint8 narrow = sums.lo + sums.hi;
  const uint4 narrow_four = narrow.lo + narrow.hi;
  return (ulong2)((ulong)narrow_four.x + narrow_four.y + narrow_four.z + narrow_four.w,
                  four.x + four.y + four.z + four.w);
}

// image_of_chunk [chunks]
// totals [n], zero at the start, with ATOMIC; without it partials [chunks], for add_partials
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void add_chunks(
    global const uchar* pixels, global const ulong4* images, global const uint* image_of_chunk,
    volatile global ulong* totals) {
  local ulong2 parts[GROUP_ITEMS];
  const uint item = get_local_id(0);
  const uint chunk = get_group_id(0);
  const ulong4 image = images[image_of_chunk[chunk]];
  const ulong first_block = (chunk - image.s2) * CHUNK_BLOCKS;
  const ulong whole_blocks = image.s1 / 16;
  pixels += image.s0;

  const uint count = (uint)min((ulong)CHUNK_BLOCKS, whole_blocks - first_block);
  ulong2 part = add_blocks((global const uchar16*)pixels + first_block, item, count);
  if (chunk + 1 == image.s3) {
    for (ulong p = whole_blocks * 16 + item; p < image.s1; p += GROUP_ITEMS) {
      part += (ulong2)(pixels[p], (uint)pixels[p] * pixels[p]);
    }
  }
  parts[item] = part;
  for (uint half_items = GROUP_ITEMS / 2; half_items > 0; half_items /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_items) parts[item] += parts[item + half_items];
  }
  if (item != 0) return;
#ifdef ATOMIC
  atom_add(totals + image_of_chunk[chunk] * 2, parts[0].x);
  atom_add(totals + image_of_chunk[chunk] * 2 + 1, parts[0].y);
#else
  totals[chunk * 2] = parts[0].x;
  totals[chunk * 2 + 1] = parts[0].y;
#endif
}

// partials [chunks]   totals [n]: one work-item per image
kernel void add_partials(global const ulong2* partials, global const ulong4* images, uint n,
                         global ulong2* totals) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  ulong2 total = (ulong2)(0);
  for (ulong chunk = images[i].s2; chunk < images[i].s3; ++chunk) total += partials[chunk];
  totals[i] = total;
}
