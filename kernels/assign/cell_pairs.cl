// Sorts the pairs of descriptors and cells by cell. A pair is a descriptor and one of its PROBES
// cells, numbered descriptor * PROBES + rank of the cell. A panel is up to PANEL pairs of one cell,
// whose words are read once for all of them.
// Before cells.cl or matrix_cells.cl.
// Build: -D PROBES: cells of a descriptor, 1 to 8; PANEL: most pairs of a panel; LIST_ITEMS: items
// of cells_list.

typedef struct {
  uint first_pair;  // in the order of cells
  uint pairs;
  uint first, end;  // the cell's words, or blocks of words
} Panel;

uint panels_for(uint pairs) {
  return (pairs + PANEL - 1) / PANEL;
}

// Counts the pairs of each cell.
//   cells [pairs]   counts [cells]: zeros before
kernel void cells_count(global const uint* restrict cells, uint pairs, global uint* counts) {
  const uint pair = get_global_id(0);
  if (pair < pairs) atomic_inc(&counts[cells[pair]]);
}

// Lists the panels in the order of their cells. One work-group does so; each item takes a run of
// cells.
//   counts [cells]   starts [cells + 1]: first word or block of each cell, and the end
//   places [cells]: where the pairs of each cell begin   panels: room for pairs / PANEL + cells
kernel __attribute__((reqd_work_group_size(LIST_ITEMS, 1, 1))) void cells_list(
    global const uint* counts, global const uint* starts, uint cells, global uint* places,
    global Panel* panels, global uint* panel_count) {
  local uint pairs_of_items[LIST_ITEMS];
  local uint panels_of_items[LIST_ITEMS];
  const uint item = get_local_id(0);
  const uint run = (cells + LIST_ITEMS - 1) / LIST_ITEMS;
  const uint first = min(item * run, cells);
  const uint end = min(first + run, cells);
  uint pair = 0, panel = 0;
  for (uint cell = first; cell < end; ++cell) {
    pair += counts[cell];
    panel += panels_for(counts[cell]);
  }
  pairs_of_items[item] = pair;
  panels_of_items[item] = panel;
  barrier(CLK_LOCAL_MEM_FENCE);
  pair = panel = 0;
  for (uint other = 0; other < item; ++other) {
    pair += pairs_of_items[other];
    panel += panels_of_items[other];
  }
  for (uint cell = first; cell < end; ++cell) {
    places[cell] = pair;
    const uint next = pair + counts[cell];
    for (; pair < next; pair += min((uint)PANEL, next - pair)) {
      panels[panel++] =
          (Panel){pair, min((uint)PANEL, next - pair), starts[cell], starts[cell + 1]};
    }
  }
  if (item == LIST_ITEMS - 1) *panel_count = panel;
}

// Writes the pairs in the order of their cells, those of a cell in no order.
//   cells [pairs]   places [cells]: as from cells_list; changed   sorted [pairs]
kernel void cells_place(global const uint* restrict cells, uint pairs, global uint* places,
                        global uint* restrict sorted) {
  const uint pair = get_global_id(0);
  if (pair < pairs) sorted[atomic_inc(&places[cells[pair]])] = pair;
}
