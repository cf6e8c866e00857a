import { useSignal } from '@preact/signals';
import type { HealthPage } from '../../api/client/wire.ts';
import type { Pages } from '../../state/resource/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { ChainRow, DuplicatesRow, type Found, LoopRow, ShadowedRow } from './finding-rows.tsx';
import { type Finding, FINDING_LABEL, FINDING_HELP } from './view.ts';

/** Rows added per click; a page of the service has 1,000. */
const STEP = 50;

/** All findings of one type, in steps. */
export function FindingList(props: { websiteId: number; finding: Finding; pages: Pages<HealthPage> }) {
  const { websiteId, finding, pages } = props;
  const limit = useSignal(STEP);
  const loaded = pages.data.value ?? [];
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
  const all = <List extends Finding>(list: List) => loaded.flatMap((page): Found<List>[] => page[list]);
  switch (finding) {
    case 'loops':
      return all(finding).map((loop, at) => <LoopRow key={at} websiteId={websiteId} loop={loop} />);
    case 'chains':
      return all(finding).map((chain) => <ChainRow key={chain.redirect_id} websiteId={websiteId} chain={chain} />);
    case 'shadowed':
      return all(finding).map((one) => <ShadowedRow key={one.redirect_id} websiteId={websiteId} shadowed={one} />);
    case 'duplicates':
      return all(finding).map((one) => (
        <DuplicatesRow key={one.redirect_ids[0]} websiteId={websiteId} duplicates={one} />
      ));
  }
}
