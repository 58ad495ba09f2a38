// Draws a picture over another, where an outline puts it.

// Returns the CSS transform that maps a box of width x height px at the origin onto a quad (Heckbert, Fundamentals of
// Texture Mapping and Image Warping, 1989).
export function transformOnto(width, height, quad) {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = quad;
  const [dx1, dx2, sx] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, sy] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const area = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / area;
  const h = (dx1 * sy - sx * dy1) / area;
  const right = [x1 - x0 + g * x1, y1 - y0 + g * y1, 0, g].map((value) => value / width);
  const down = [x3 - x0 + h * x3, y3 - y0 + h * y3, 0, h].map((value) => value / height);
  return `matrix3d(${[...right, ...down, 0, 0, 1, 0, x0, y0, 0, 1].map((value) => value.toFixed(9)).join()})`;
}
