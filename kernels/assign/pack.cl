// Packs descriptors for the fused kernel: [n][DIMENSIONS] to [tiles][DIMENSIONS][TILE], so that a
// slice of dimensions is one contiguous run. Rows past the end become zero.
// Work-items: (rows of all tiles, DIMENSIONS / 4).
kernel void pack_tiles(global const float4* descriptors, uint n, global float* tiles) {
  const uint row = get_global_id(0);
  const uint quad = get_global_id(1);
  float4 values = (float4)(0);
  if (row < n) values = descriptors[(ulong)row * (DIMENSIONS / 4) + quad];
  global float* column =
      tiles + ((ulong)(row / TILE) * DIMENSIONS + quad * 4) * TILE + row % TILE;
  column[0] = values.x;
  column[TILE] = values.y;
  column[2 * TILE] = values.z;
  column[3 * TILE] = values.w;
}
