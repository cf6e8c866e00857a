/** Browsers draw nothing that is much taller: from there on a step of the scroll bar passes over more than one row. */
const TALLEST_PX = 12_000_000;
const OVERSCAN = 8;

export interface Places {
  /** height of what is scrolled */
  height: number;
  /** the rows to draw: from `first` up to `end` */
  first: number;
  end: number;
  /** where a row stands within what is scrolled */
  topOf: (at: number) => number;
}

/** Where the rows of a long list stand, while `view` pixels of it are seen from `top` on. The ends of the scroll bar are the ends of the list. */
export function placeRows(total: number, rowPx: number, top: number, view: number): Places {
  const real = total * rowPx;
  const height = Math.min(real, TALLEST_PX);
  const realTop = height > view ? top * ((real - view) / (height - view)) : top;
  return {
    height,
    first: Math.max(0, Math.floor(realTop / rowPx) - OVERSCAN),
    end: Math.min(total, Math.ceil((realTop + view) / rowPx) + OVERSCAN),
    topOf: (at) => at * rowPx - realTop + top,
  };
}
