import { useSignal } from '@preact/signals';
import type { HealthPage } from '../../api/wire.ts';
import type { Pages } from '../../state/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/states.tsx';
import { ChainRow, DuplicatesRow, LoopRow, ShadowedRow } from './finding-rows.tsx';
import { type Finding, FINDING_LABEL, FINDING_WORDS } from './view.ts';

/** Entries that are shown at a time; the service answers 1,000. */
const STEP = 50;

/** Everything of one kind that was found, a stretch at a time. */
export function FindingList({
  websiteId,
  finding,
  pages,
}: {
  websiteId: number;
  finding: Finding;
  pages: Pages<HealthPage>;
}) {
  const most = useSignal(STEP);
  const read = pages.rows.value ?? [];
  const rows = rowsOf(websiteId, finding, read);
  const count = read[0]?.counts[finding] ?? 0;
  if (count === 0) return <Empty icon="check" title={`No ${FINDING_LABEL[finding].toLowerCase()}`} />;
  function more(): void {
    most.value += STEP;
    if (most.value > rows.length) pages.more();
  }
  return (
    <>
      <p class="muted">{FINDING_WORDS[finding]}</p>
      <div class="card">
        <ul class="row-list">{rows.slice(0, most.value)}</ul>
        {count > most.value && (
          <div class="more">
            <Button disabled={pages.isLoading.value} onClick={more}>
              Show more
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

function rowsOf(websiteId: number, finding: Finding, read: HealthPage[]) {
  switch (finding) {
    case 'loops':
      return read.flatMap(({ loops }) =>
        loops.map((loop, at) => (
          <LoopRow key={`${at}:${loop.old_paths[0]}`} websiteId={websiteId} loop={loop} />
        )),
      );
    case 'chains':
      return read.flatMap(({ chains }) =>
        chains.map((chain) => <ChainRow key={chain.redirect_id} websiteId={websiteId} chain={chain} />),
      );
    case 'shadowed':
      return read.flatMap(({ shadowed }) =>
        shadowed.map((each) => <ShadowedRow key={each.redirect_id} websiteId={websiteId} shadowed={each} />),
      );
    case 'duplicates':
      return read.flatMap(({ duplicates }) =>
        duplicates.map((each) => (
          <DuplicatesRow key={each.redirect_ids[0]} websiteId={websiteId} duplicates={each} />
        )),
      );
  }
}
