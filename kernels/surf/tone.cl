// Brightening of dark images; see tone.h.
// After common.cl.

// Takes the pixels through the image's curve. Group (row, image).
kernel void tone(global const Image* restrict images, global const uchar* restrict pixels,
                 global const uchar* restrict curves, global uchar* restrict toned) {
  const Image image = images[get_group_id(1)];
  const int row = get_group_id(0);
  if (row >= image.height) return;
  global const uchar* curve = curves + image.curve;
  global const uchar* from = pixels + image.source + (size_t)row * image.width;
  global uchar* to = toned + image.pixels + (size_t)row * image.width;
  for (int x = get_local_id(0); x < image.width; x += LOCAL_SIZE) to[x] = curve[from[x]];
}
