// Counts each word in its image's row of the histograms: one work-item per word.
// words [n]   offsets [images + 1], rising: image i owns words offsets[i] to offsets[i + 1] - 1
// histograms [images][k], zero at the start
kernel void histogram(global const uint* words, global const uint* offsets, uint n, uint images,
                      uint k, volatile global uint* histograms) {
  const uint position = get_global_id(0);
  if (position >= n) return;
  // The last image that starts at or before this word; images without words are passed over.
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
