// Sparse histograms of images: their features sorted by word, those of a word by number.
//   words, signatures [n], image by image   offsets [images + 1], rising from 0 to n
//   sorted_words, sorted_signatures [n]     numbers [n]: of the features, from 0 in each image
// Build: -D GROUP_ITEMS: 64, items of a group. For sort_bitonic: -D CAPACITY: features of an image,
// a power of two; -D NUMBER_BITS: of CAPACITY; -D KEY: uint or ulong, which holds a word above a
// number. For sort_serial: -D DIGIT_BITS, PASSES: an even number of passes covers all bits of words.

// Counts the features that come before each, which is its place; an item per feature, and
// `image_groups` groups per image.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void sort_rank(
    global const uint* restrict words, global const ulong* restrict signatures,
    global const uint* restrict offsets, global uint* restrict sorted_words,
    global ulong* restrict sorted_signatures, global uint* restrict numbers, uint image_groups) {
  local uint others[GROUP_ITEMS];
  const uint item = get_local_id(0);
  const uint image = get_group_id(0) / image_groups;
  const uint first = offsets[image];
  const uint count = offsets[image + 1] - first;
  const uint begin = get_group_id(0) % image_groups * GROUP_ITEMS;
  if (begin >= count) return;
  const uint number = begin + item;
  const uint word = number < count ? words[first + number] : 0;
  uint place = 0;
  for (uint start = 0; start < count; start += GROUP_ITEMS) {
    if (start + item < count) others[item] = words[first + start + item];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint end = min((uint)GROUP_ITEMS, count - start);
    for (uint i = 0; i < end; ++i) {
      place += others[i] < word || (others[i] == word && start + i < number);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (number >= count) return;
  sorted_words[first + place] = word;
  sorted_signatures[first + place] = signatures[first + number];
  numbers[first + place] = number;
}

#ifdef CAPACITY

// Sorts in local memory by a bitonic network (Batcher 1968); a group per image.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void sort_bitonic(
    global const uint* restrict words, global const ulong* restrict signatures,
    global const uint* restrict offsets, global uint* restrict sorted_words,
    global ulong* restrict sorted_signatures, global uint* restrict numbers) {
  local KEY keys[CAPACITY];
  const uint item = get_local_id(0);
  const uint first = offsets[get_group_id(0)];
  const uint count = offsets[get_group_id(0) + 1] - first;
  for (uint i = item; i < CAPACITY; i += GROUP_ITEMS) {
    keys[i] = i < count ? (KEY)words[first + i] << NUMBER_BITS | i : ~(KEY)0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint length = 2; length <= CAPACITY; length *= 2) {
    for (uint stride = length / 2; stride > 0; stride /= 2) {
      for (uint pair = item; pair < CAPACITY / 2; pair += GROUP_ITEMS) {
        const uint low = 2 * pair - (pair & (stride - 1));
        const KEY a = keys[low];
        const KEY b = keys[low + stride];
        const bool ascends = (low & length) == 0;
        keys[low] = ascends ? min(a, b) : max(a, b);
        keys[low + stride] = ascends ? max(a, b) : min(a, b);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  for (uint i = item; i < count; i += GROUP_ITEMS) {
    const uint number = (uint)keys[i] & ((1u << NUMBER_BITS) - 1);
    sorted_words[first + i] = (uint)(keys[i] >> NUMBER_BITS);
    sorted_signatures[first + i] = signatures[first + number];
    numbers[first + i] = number;
  }
}

#endif

#ifdef PASSES

// Sorts by the digits of words, the lowest first; an item per image.
//   spare [n]
kernel void sort_serial(global const uint* restrict words, global const ulong* restrict signatures,
                        global const uint* restrict offsets, global uint* restrict sorted_words,
                        global ulong* restrict sorted_signatures, global uint* restrict numbers,
                        global uint* restrict spare) {
  const uint first = offsets[get_global_id(0)];
  const uint count = offsets[get_global_id(0) + 1] - first;
  for (uint i = 0; i < count; ++i) numbers[first + i] = i;
  for (uint pass = 0; pass < PASSES; ++pass) {
    global const uint* from = (pass % 2 == 0 ? numbers : spare) + first;
    global uint* to = (pass % 2 == 0 ? spare : numbers) + first;
    const uint shift = pass * DIGIT_BITS;
    const uint mask = (1u << DIGIT_BITS) - 1;
    uint starts[1 << DIGIT_BITS];
    for (uint digit = 0; digit <= mask; ++digit) starts[digit] = 0;
    for (uint i = 0; i < count; ++i) ++starts[words[first + i] >> shift & mask];
    uint next = 0;
    for (uint digit = 0; digit <= mask; ++digit) {
      const uint features = starts[digit];
      starts[digit] = next;
      next += features;
    }
    for (uint i = 0; i < count; ++i) {
      const uint number = from[i];
      to[starts[words[first + number] >> shift & mask]++] = number;
    }
  }
  for (uint i = 0; i < count; ++i) {
    const uint number = numbers[first + i];
    sorted_words[first + i] = words[first + number];
    sorted_signatures[first + i] = signatures[first + number];
  }
}

#endif
