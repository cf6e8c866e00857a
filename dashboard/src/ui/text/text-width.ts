/** Widths of elements and texts in pixels. */
import type { RefObject } from 'preact';
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

const listeners = new WeakMap<Element, (width: number) => void>();

/** One observer for all elements: it reports after layout and before paint. */
const observer = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) listeners.get(target)?.(contentRect.width);
});

/** The width of the element; undefined before the first layout and while it is hidden. */
export function useWidth(ref: RefObject<Element | null>): number | undefined {
  const width = useSignal<number | undefined>(undefined);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    listeners.set(element, (next) => (width.value = next > 0 ? next : undefined));
    observer.observe(element);
    return () => observer.unobserve(element);
  }, []);
  return width.value;
}

const canvas = document.createElement('canvas').getContext('2d');
let canvasFont = '';

/** Returns a function that measures texts in the font of the element. */
export function textMeasure(element: Element): (text: string) => number {
  // `font` is empty beside properties that it cannot express.
  const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(element);
  const font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
  return (text) => {
    if (!canvas) return 0;
    // Setting it takes longer than measuring, and reading it returns another spelling.
    if (canvasFont !== font) canvas.font = canvasFont = font;
    return canvas.measureText(text).width;
  };
}
