/** Reads a long list from its start and from its end: row-window.ts has what is loaded. */
import { batch, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { useReads } from '../../state/resource/use-resource.ts';
import { extended, type Identified, opened, type RowWindow, shiftOf, type Side } from './row-window.ts';

/** `load` reads a page of a side, `tail` in the reverse order; without a cursor, the first one. */
export function useWindow<Row extends Identified>(
  key: string,
  load: (
    side: Side,
    cursor: string | undefined,
    signal: AbortSignal,
  ) => Promise<{ rows: Row[]; next_cursor: string | null }>,
) {
  const window = useSignal<RowWindow<Row> | undefined>(undefined);
  /** the last move of the rows after the gap */
  const shift = useSignal({ from: 0, by: 0 });
  const cursors = useRef<Partial<Record<Side, string>>>({});
  const failed = useRef<Side>(undefined);
  const { error, isLoading, read } = useReads(key, {
    load(part, signal) {
      failed.current = part as Side | undefined;
      return load(failed.current ?? 'head', part && cursors.current[part as Side], signal);
    },
    onResult({ rows, next_cursor: next }, part) {
      const before = window.peek();
      const side = (part ?? 'head') as Side;
      cursors.current = { ...(part && cursors.current), [side]: next ?? undefined };
      const page = { rows: side === 'tail' ? rows.toReversed() : rows, isLast: next === null, total: undefined };
      batch(() => {
        const after = part && before ? extended(before, side, page) : opened(page);
        if (part && before) shift.value = shiftOf(before, after);
        window.value = after;
      });
    },
    onKeyChange: () => (window.value = undefined),
  });
  return {
    window,
    shift,
    error,
    isLoading,
    /** Reads the next page of a side. One of the head waits for its next render, so that it aborts no jump to the end. */
    more: (side: Side) => (side === 'tail' || !isLoading.peek()) && read(side),
    reload: () => read(),
    retry: () => read(failed.current),
  };
}
