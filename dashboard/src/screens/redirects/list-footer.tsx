import { counted, number } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import type { RedirectList } from './redirect-list.ts';

/** Below the last row: more is being read, it is the end, or as many are at hand as a page can hold. */
export function ListFooter({ list }: { list: RedirectList }) {
  const shown = list.above.value + list.rows.value.length;
  if (list.rows.value.length === 0) return null;
  if (list.hasMore.value && list.isFull()) {
    return (
      <p class="tail">
        {number(shown)} rows are shown. Search to find one of the others, or{' '}
        <Button size="small" onClick={() => list.goOn()}>
          go on from here
        </Button>
      </p>
    );
  }
  return (
    <p class="tail muted" aria-live="polite">
      {list.hasMore.value ? 'Reading more…' : `That is all: ${counted(shown, 'redirect')}`}
    </p>
  );
}
