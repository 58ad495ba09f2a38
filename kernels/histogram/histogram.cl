// Counts of the words of images: image i owns words offsets[i] to offsets[i + 1] - 1.
//   words [offsets[images]]   offsets [images + 1], rising   histograms [images][k]
// Build: -D GROUP_ITEMS: 64; BINS: bins that a work-group of count_local holds, up to 4096.

// Sets all bins to zero; an item per bin.
kernel void clear_bins(global uint* histograms, ulong bins) {
  if (get_global_id(0) < bins) histograms[get_global_id(0)] = 0;
}

// Counts in global memory, from histograms of zeros; an item per word.
kernel void count_atomic(global const uint* words, global const uint* offsets, uint images, uint k,
                         volatile global uint* histograms) {
  const uint position = get_global_id(0);
  if (position >= offsets[images]) return;
  // The last image that starts at or before this word, which passes over images without words.
  uint image = 0;
  uint end = images;
  while (end - image > 1) {
    const uint middle = image + (end - image) / 2;
    if (offsets[middle] <= position) {
      image = middle;
    } else {
      end = middle;
    }
  }
  atomic_inc(&histograms[(ulong)image * k + words[position]]);
}

// Counts in local memory: a work-group takes the words of an image that fall into its segment of
// BINS bins. An image with more bins is read once for each segment, which costs less than adding in
// global memory as long as there are few segments. Groups stand in one row, image by image: NVIDIA
// takes 65,535 in others.
kernel __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) void count_local(
    global const uint* words, global const uint* offsets, uint images, uint k,
    global uint* histograms) {
  local uint bins[BINS];
  const uint item = get_local_id(0);
  const uint segments = (k + BINS - 1) / BINS;
  const uint image = get_group_id(0) / segments;
  const uint first = get_group_id(0) % segments * BINS;
  for (uint bin = item; bin < BINS; bin += GROUP_ITEMS) bins[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = offsets[image] + item; i < offsets[image + 1]; i += GROUP_ITEMS) {
    const uint bin = words[i] - first;  // of a word before the segment: far beyond it
    if (bin < BINS) atomic_inc(&bins[bin]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  global uint* row = histograms + (ulong)image * k + first;
  for (uint bin = item; bin < min((uint)BINS, k - first); bin += GROUP_ITEMS) row[bin] = bins[bin];
}

// Counts without atomics; an item per image.
kernel void count_serial(global const uint* words, global const uint* offsets, uint images, uint k,
                         global uint* histograms) {
  const uint image = get_global_id(0);
  if (image >= images) return;
  global uint* row = histograms + (ulong)image * k;
  for (uint bin = 0; bin < k; ++bin) row[bin] = 0;
  for (uint i = offsets[image]; i < offsets[image + 1]; ++i) ++row[words[i]];
}
