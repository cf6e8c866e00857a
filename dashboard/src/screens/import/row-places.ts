/** Browsers limit the height of elements. In longer lists, one scroll step moves by more than one row. */
const MAX_HEIGHT_PX = 12_000_000;
const OVERSCAN = 8;

export interface Places {
  /** height of the scrolled element */
  height: number;
  /** the rows to render: from `first` up to, excluding, `end` */
  first: number;
  end: number;
  /** position of a row in the scrolled element */
  topOf: (at: number) => number;
}

/**
 * Positions of the rows of a long list while `view` pixels from `top` are visible. The scroll bar spans the whole list.
 */
export function placeRows(total: number, rowPx: number, top: number, view: number): Places {
  const real = total * rowPx;
  const height = Math.min(real, MAX_HEIGHT_PX);
  const realTop = height > view ? top * ((real - view) / (height - view)) : top;
  return {
    height,
    first: Math.max(0, Math.floor(realTop / rowPx) - OVERSCAN),
    end: Math.min(total, Math.ceil((realTop + view) / rowPx) + OVERSCAN),
    topOf: (at) => at * rowPx - realTop + top,
  };
}
