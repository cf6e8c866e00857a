import { counted, number } from '../../../format.ts';
import { Button } from '../../../ui/button.tsx';
import type { RedirectList } from './redirect-list.ts';

/** Below the last row: loading, end of the list, or the row limit of the page. */
export function ListFooter({ list }: { list: RedirectList }) {
  const loaded = list.above.value + list.rows.value.length;
  if (list.rows.value.length === 0) return null;
  if (list.hasMore.value && list.isFull()) {
    return (
      <p class="tail">
        Showing {number(loaded)} rows. Search to find others, or{' '}
        <Button size="small" onClick={() => list.continueBelow()}>
          continue from here
        </Button>
      </p>
    );
  }
  const isAtEnd = !list.hasMore.value || list.window.value.tail.length > 0;
  return (
    <p class="tail muted" aria-live="polite">
      {isAtEnd
        ? `End of list: ${counted(list.hasMore.value ? (list.total.value ?? loaded) : loaded, 'redirect')}`
        : 'Loading more…'}
    </p>
  );
}
