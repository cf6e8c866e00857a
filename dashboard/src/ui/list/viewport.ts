/** The visible part of a long list, and the rows to render for it. Only these are elements of the page. */
import { type Signal, signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** True while the media query matches. */
export function media(query: string): Signal<boolean> {
  const list = matchMedia(query);
  const matches = signal(list.matches);
  list.addEventListener('change', () => (matches.value = list.matches));
  return matches;
}

/** Scroll position and size in pixels, without the sticky header. */
export interface Viewport {
  top: number;
  width: number;
  height: number;
}

/** Follows a scrolled element, whose header is its first rowgroup. */
export function useViewport(scroller: RefObject<HTMLElement | null>): Signal<Viewport> {
  const viewport = useSignal<Viewport>({ top: 0, width: 0, height: 800 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = (): void => {
      const head = element.querySelector<HTMLElement>('[role=rowgroup]')?.offsetHeight ?? 0;
      const { scrollTop: top, clientWidth: width, clientHeight } = element;
      viewport.value = { top, width, height: clientHeight - head };
    };
    // Before the first paint, so that no row or column appears later.
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  return viewport;
}

/** Browsers limit the height of elements. In longer lists, one scroll step moves by more than one row. */
const MAX_HEIGHT_PX = 12_000_000;
const OVERSCAN = 12;

export interface Places {
  /** height of the scrolled element */
  height: number;
  /** the rows to render: from `first` up to, excluding, `end` */
  first: number;
  end: number;
  /** position of a row in the scrolled element */
  topOf: (at: number) => number;
}

/** Positions of the rows of a list while this part of it is visible. The scroll bar spans the whole list. */
export function placeRows(
  total: number,
  rowPx: number,
  { top, height: view }: Pick<Viewport, 'top' | 'height'>,
): Places {
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

/** Keeps the visible rows in place when the gap above them changes. */
export function useScrollShift(
  shift: Signal<{ from: number; by: number }>,
  element: () => HTMLElement | null,
  px: number,
): void {
  const { from, by } = shift.value;
  useLayoutEffect(() => {
    const scrolled = element();
    if (by !== 0 && scrolled && scrolled.scrollTop >= from * px) scrolled.scrollTop += by * px;
  }, [shift.value]);
}
