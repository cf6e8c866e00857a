import type { Pages } from '../state/use-pages.ts';
import { Button } from './button.tsx';

/** Below a list that has further pages. */
export function LoadMore<Row>({ pages }: { pages: Pages<Row> }) {
  if (!pages.hasMore.value) return null;
  return (
    <div class="more">
      <Button disabled={pages.isLoading.value} onClick={pages.more}>
        Load more
      </Button>
    </div>
  );
}
