// Sums of grey levels and of their squares, exactly. An image is cut into chunks of CHUNK_BLOCKS
// blocks of 16 pixels; a work-group takes a chunk. Each image starts at a multiple of 16 bytes, so
// that a block is one load.
// After session/add_ulong.cl.
// Build: as add_ulong.cl, and -D CHUNK_BLOCKS: 4096; GROUP_ITEMS: work-items of a group, 1 on a
// CPU, 256 on a GPU.

// ImagePlace in variance.cpp.
typedef struct {
  ulong first_byte, pixels;
  ulong first_chunk, end_chunk;
} Image;

#if GROUP_ITEMS == 1
#define RUN_BLOCKS 256

// Returns the sum and the sum of squares of the first `count` blocks, in vectors. A lane's sum
// holds 257 grey levels in 16 bits, and its squares, which fit 16 bits themselves, 66051 in 32.
ulong2 add_blocks(global const uchar* pixels, uint item, uint count) {
  uint16 sums = (uint16)(0);
  uint16 squares = (uint16)(0);
  for (uint run = item; run < count; run += RUN_BLOCKS) {
    const uint run_end = min(count, run + RUN_BLOCKS);
    ushort16 run_sums = (ushort16)(0);
    for (uint block = run; block < run_end; ++block) {
      const ushort16 greys = convert_ushort16(vload16(block, pixels));
      run_sums += greys;
      squares += convert_uint16(greys * greys);
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
#else
#define IN_FLIGHT 4  // blocks whose loads do not wait for each other

// Adds a word of four pixels: two sums travel in the halves of one word, which are unpacked after
// IN_FLIGHT blocks.
void add_word(uint word, uint* halves, uint* squares) {
  const uint even = word & 0x00ff00ffu;
  const uint odd = (word >> 8) & 0x00ff00ffu;
  *halves += even + odd;
  const uint a = even & 0xffffu;
  const uint b = even >> 16;
  const uint c = odd & 0xffffu;
  const uint d = odd >> 16;
  *squares += a * a + b * b + c * c + d * d;
}

// Returns the sum and the sum of squares of blocks item, item + GROUP_ITEMS, ... below `count`. An
// item meets at most CHUNK_BLOCKS / GROUP_ITEMS blocks; squares fit 32 bits as long as that is
// below 4128.
ulong2 add_blocks(global const uchar* pixels, uint item, uint count) {
  global const uint4* blocks = (global const uint4*)pixels;
  uint sum = 0;
  uint squares = 0;
  for (uint first = item; first < count; first += IN_FLIGHT * GROUP_ITEMS) {
    uint4 loaded[IN_FLIGHT];
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) {
      const uint block = first + i * GROUP_ITEMS;
      loaded[i] = block < count ? blocks[block] : (uint4)(0);
    }
    uint halves = 0;
#pragma unroll
    for (uint i = 0; i < IN_FLIGHT; ++i) {
      add_word(loaded[i].x, &halves, &squares);
      add_word(loaded[i].y, &halves, &squares);
      add_word(loaded[i].z, &halves, &squares);
      add_word(loaded[i].w, &halves, &squares);
    }
    sum += (halves & 0xffffu) + (halves >> 16);
  }
  return (ulong2)(sum, squares);
}
#endif

// Adds the sums of each chunk to its image's; a work-group per chunk.
//   image_of_chunk [chunks]   totals [images][2], zero at the start
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void add_chunks(
    global const uchar* pixels, global const Image* images, global const uint* image_of_chunk,
    volatile global ulong* totals) {
  local ulong2 parts[GROUP_ITEMS];
  const uint item = get_local_id(0);
  const uint chunk = get_group_id(0);
  const Image image = images[image_of_chunk[chunk]];
  const ulong first_block = (chunk - image.first_chunk) * CHUNK_BLOCKS;
  const ulong whole_blocks = image.pixels / 16;
  pixels += image.first_byte;

  const uint count = (uint)min((ulong)CHUNK_BLOCKS, whole_blocks - first_block);
  ulong2 part = add_blocks(pixels + first_block * 16, item, count);
  if (chunk + 1 == image.end_chunk) {
    for (ulong p = whole_blocks * 16 + item; p < image.pixels; p += GROUP_ITEMS) {
      part += (ulong2)(pixels[p], (uint)pixels[p] * pixels[p]);
    }
  }
  parts[item] = part;
  for (uint half_items = GROUP_ITEMS / 2; half_items > 0; half_items /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < half_items) parts[item] += parts[item + half_items];
  }
  if (item != 0) return;
  ADD(totals + image_of_chunk[chunk] * 2, parts[0].x);
  ADD(totals + image_of_chunk[chunk] * 2 + 1, parts[0].y);
}
