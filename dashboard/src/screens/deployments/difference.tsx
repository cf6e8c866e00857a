import { useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { fetchDiff } from '../../api/deployments.ts';
import type { Diff } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { query, urlWith } from '../../router.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/form/query-fields.tsx';
import { Empty, Problem, Skeleton } from '../../ui/page/states.tsx';
import { Tabs } from '../../ui/page/tabs.tsx';
import { type Filter, type Kind, kindIn, KINDS, showOf } from './compare-view.ts';
import { DiffList, entriesOf, totalOf } from './diff-lines.tsx';

/** Lines that are rendered at first, and with each click on "Show more". */
const STEP = 200;

export type DiffRequest = Omit<Parameters<typeof fetchDiff>[0], 'q' | 'kind' | 'cursor'>;

interface DifferenceProps {
  request: DiffRequest;
  /** the first page without a search, if it is loaded already */
  first?: Diff | undefined;
  /** the kind that it opens on; undefined: all */
  start?: Kind | undefined;
  /** takes back the change of a redirect */
  onDiscard?: ((id: number) => void) | undefined;
}

/** The whole difference between two versions: searched by text, filtered by kind, page by page. */
export function Difference({ request, first, start, onDiscard }: DifferenceProps) {
  const q = query.value.get('q') ?? '';
  return (
    <>
      <div role="search" class="row">
        <SearchField q={q} onDown={() => document.querySelector<HTMLElement>('.whole-diff')?.focus()} />
      </div>
      <Lines
        key={JSON.stringify([request, q])}
        {...{ request, start, q, onDiscard }}
        first={q === '' ? first : undefined}
      />
    </>
  );
}

function Lines({ request, first, start, q, onDiscard }: DifferenceProps & { q: string }) {
  const kind = kindIn(query.value, start);
  const counts = useSignal<Counts | undefined>(undefined);
  const limit = useSignal(STEP);
  const pages = usePages(
    `difference:${kind ?? ''}`,
    async (cursor, signal) => {
      if (cursor === undefined) limit.value = STEP;
      const isLoaded = first !== undefined && cursor === undefined && hasAll(first, kind);
      return isLoaded ? first : fetchDiff({ ...request, q: q || undefined, kind, cursor }, signal);
    },
    (diff) => {
      counts.value = { ...diff.counts, not_targeted: diff.not_targeted };
      const only = kind === 'not_targeted' ? 'removed' : kind;
      return entriesOf(diff).filter((entry) => entry.kind === (only ?? entry.kind));
    },
  );
  const error = pages.error.value;
  const loaded = pages.data.value;
  const total = counts.value ? (kind === undefined ? totalOf(counts.value) : counts.value[kind]) : 0;
  const isFiltered = q !== '' || kind !== undefined;
  const visible = loaded?.slice(0, limit.value) ?? [];
  function showMore(): void {
    limit.value += STEP;
    if (limit.value > (loaded?.length ?? 0)) pages.more();
  }
  return (
    <>
      {counts.value && (
        <Kinds {...{ kind, start }} counts={counts.value} environment={request.to_environment ?? request.environment} />
      )}
      {error && <Problem error={error} onRetry={loaded ? pages.more : pages.reload} />}
      {!loaded && !error && <Skeleton lines={8} />}
      {loaded && total === 0 && (
        <Empty icon="check" title={isFiltered ? 'No matching differences' : 'No differences'}>
          {isFiltered ? 'No redirect that differs matches the search and the filter.' : 'Both redirect the same.'}
        </Empty>
      )}
      {visible.length > 0 && (
        <DiffList label="Differences" entries={visible} search={q} look="whole-diff" onDiscard={onDiscard} />
      )}
      {loaded && visible.length < total && (
        <div class="more">
          <Button disabled={pages.isLoading.value} onClick={showMore}>
            Show more
          </Button>
          <span class="muted small" role="status">
            {number(visible.length)} of {number(total)}
          </span>
        </div>
      )}
    </>
  );
}

type Counts = Record<Filter, number>;

/** True if a page without a filter has the first page of a kind: all of it, or all kinds. */
const hasAll = (diff: Diff, kind: Filter | undefined): boolean =>
  kind === undefined || (kind !== 'not_targeted' && diff[kind].length === diff.counts[kind]);

const KIND_LABEL: Record<Kind, string> = { added: 'Added', changed: 'Changed', removed: 'Removed' };

interface KindsProps {
  counts: Counts;
  kind: Filter | undefined;
  start: Kind | undefined;
  /** of the later side */
  environment: Environment;
}

function Kinds({ counts, kind, start, environment }: KindsProps) {
  const tab = (show: Filter | undefined, label: string, count: number) => ({
    href: urlWith({ show: showOf(show, start) }),
    isCurrent: kind === show,
    label: `${label} ${number(count)}`,
  });
  const apart = tab('not_targeted', `Not meant for ${environment}`, counts.not_targeted);
  return (
    <Tabs
      label="Kind of difference"
      tabs={[
        tab(undefined, 'All', totalOf(counts)),
        ...KINDS.map((each) => tab(each, KIND_LABEL[each], counts[each])),
        ...(counts.not_targeted > 0 || apart.isCurrent ? [apart] : []),
      ]}
    />
  );
}
