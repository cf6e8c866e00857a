import { useSignal } from '@preact/signals';
import type { HealthPage } from '../../api/wire.ts';
import type { Pages } from '../../state/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/states.tsx';
import { ChainRow, DuplicatesRow, LoopRow, ShadowedRow } from './finding-rows.tsx';
import { type Finding, FINDING_LABEL, FINDING_HELP } from './view.ts';

/** Rows added per click; a page of the service has 1,000. */
const STEP = 50;

/** All findings of one type, in steps. */
export function FindingList({
  websiteId,
  finding,
  pages,
}: {
  websiteId: number;
  finding: Finding;
  pages: Pages<HealthPage>;
}) {
  const limit = useSignal(STEP);
  const loaded = pages.rows.value ?? [];
  const rows = rowsOf(websiteId, finding, loaded);
  const count = loaded[0]?.counts[finding] ?? 0;
  if (count === 0) return <Empty icon="check" title={`No ${FINDING_LABEL[finding].toLowerCase()}`} />;
  function more(): void {
    limit.value += STEP;
    if (limit.value > rows.length) pages.more();
  }
  return (
    <>
      <p class="muted">{FINDING_HELP[finding]}</p>
      <div class="card">
        <ul class="row-list">{rows.slice(0, limit.value)}</ul>
        {count > limit.value && (
          <div class="more">
            <Button disabled={pages.isLoading.value} onClick={more}>
              Load more
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

function rowsOf(websiteId: number, finding: Finding, loaded: HealthPage[]) {
  switch (finding) {
    case 'loops':
      return loaded.flatMap(({ loops }) =>
        loops.map((loop, at) => <LoopRow key={`${at}:${loop.old_paths[0]}`} websiteId={websiteId} loop={loop} />),
      );
    case 'chains':
      return loaded.flatMap(({ chains }) =>
        chains.map((chain) => <ChainRow key={chain.redirect_id} websiteId={websiteId} chain={chain} />),
      );
    case 'shadowed':
      return loaded.flatMap(({ shadowed }) =>
        shadowed.map((each) => <ShadowedRow key={each.redirect_id} websiteId={websiteId} shadowed={each} />),
      );
    case 'duplicates':
      return loaded.flatMap(({ duplicates }) =>
        duplicates.map((each) => <DuplicatesRow key={each.redirect_ids[0]} websiteId={websiteId} duplicates={each} />),
      );
  }
}
