import './deployments.css';
import { useSignal } from '@preact/signals';
import { fetchDiff, listDeployments } from '../../api/deployments.ts';
import type { Diff, Website } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { type Params, query, setQuery } from '../../router.ts';
import { usePages } from '../../state/use-pages.ts';
import { useResource } from '../../state/use-resource.ts';
import { useWebsite } from '../../state/websites.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { EnvironmentSelect } from '../../ui/environment-select.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { type CompareView, compareViewOf, type Kind, KINDS, versionLabel } from './compare-view.ts';
import { type DiffEntry, DiffLine, entriesOf } from './diff-lines.tsx';

/** Versions to choose from. */
const MAX_VERSIONS = 1_000;
/** Lines that are rendered at first, and with each click on "Show more". */
const STEP = 200;

/** The whole difference between two versions of an environment. */
export function CompareScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  if (!website) return null;
  const view = compareViewOf(query.value);
  return (
    <Page
      title="Compare versions"
      lead={`Redirects of ${ENVIRONMENT_LABEL[view.environment].toLowerCase()} that differ between two versions.`}
      actions={
        <div class="filter-bar">
          <EnvironmentSelect value={view.environment} resets={['from', 'to', 'q', 'show']} />
          <LinkButton href={`/websites/${website.id}/deployments?environment=${view.environment}`}>
            Deployments
          </LinkButton>
        </div>
      }
    >
      <Versions website={website} view={view} />
      <div role="search" class="compare-search">
        <SearchField q={view.q} onDown={() => document.querySelector<HTMLElement>('.compare-lines')?.focus()} />
      </div>
      <Difference key={`${view.environment} ${view.from} ${view.to} ${view.q}`} website={website} view={view} />
    </Page>
  );
}

function Versions({ website, view: { environment, from, to } }: { website: Website; view: CompareView }) {
  const { data } = useResource(`versions:${website.id}:${environment}`, (signal) =>
    listDeployments({ website_id: website.id, environment, limit: MAX_VERSIONS }, signal),
  );
  const numbers = (data.value?.deployments ?? []).flatMap(({ version }) => (version === null ? [] : [String(version)]));
  const known = [...new Set(['live', 'draft', ...numbers, from, to])];
  const options = known.map((version) => [version, versionLabel(version)] as const);
  return (
    <div class="compare-choice">
      <SelectField label="From" value={from} options={options} onChoose={(next) => setQuery({ from: next })} />
      <Button icon="undo" onClick={() => setQuery({ from: to, to: from })}>
        Swap
      </Button>
      <SelectField label="To" value={to} options={options} onChoose={(next) => setQuery({ to: next })} />
    </div>
  );
}

function Difference({ website, view }: { website: Website; view: CompareView }) {
  const { environment, from, to, kind, q } = view;
  const counts = useSignal<Diff['counts'] | undefined>(undefined);
  const limit = useSignal(STEP);
  const pages = usePages<DiffEntry>(
    `compare:${website.id}:${environment}:${from}:${to}:${q}`,
    async (cursor, signal) => {
      const input = { website_id: website.id, environment, from, to, q: q || undefined, cursor };
      const diff = await fetchDiff(input, signal);
      counts.value = diff.counts;
      return { rows: entriesOf(diff), next: diff.next_cursor };
    },
  );
  const error = pages.error.value;
  const loaded = pages.rows.value;
  if (!loaded || !counts.value) {
    return error ? <Problem error={error} onRetry={pages.reload} /> : <Skeleton lines={8} />;
  }
  const ofKind = kind === undefined ? loaded : loaded.filter((entry) => entry.kind === kind);
  const total = kind === undefined ? sum(counts.value) : counts.value[kind];
  const visible = ofKind.slice(0, limit.value);
  function showMore(): void {
    limit.value += STEP;
    if (limit.value > ofKind.length) pages.more();
  }
  return (
    <>
      <Kinds counts={counts.value} kind={kind} />
      {error && <Problem error={error} onRetry={pages.more} />}
      {total === 0 && <NoDifference q={q} />}
      {visible.length > 0 && (
        <ul class="diff compare-lines" aria-label="Differences" tabIndex={0}>
          {visible.map((entry) => (
            <DiffLine key={entry.kind + entry.id} entry={entry} />
          ))}
        </ul>
      )}
      {visible.length < total && (
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

const sum = (counts: Diff['counts']): number => counts.added + counts.changed + counts.removed;

const KIND_LABEL: Record<Kind, string> = { added: 'Added', changed: 'Changed', removed: 'Removed' };

function Kinds({ counts, kind }: { counts: Diff['counts']; kind: Kind | undefined }) {
  const hrefOf = (show: Kind | undefined): string => {
    const next = new URLSearchParams(query.value);
    if (show === undefined) next.delete('show');
    else next.set('show', show);
    return `?${next.toString()}`;
  };
  const tab = (show: Kind | undefined, label: string, count: number) => ({
    href: hrefOf(show),
    isCurrent: kind === show,
    label: `${label} ${number(count)}`,
  });
  return (
    <Tabs
      label="Kind of difference"
      tabs={[tab(undefined, 'All', sum(counts)), ...KINDS.map((each) => tab(each, KIND_LABEL[each], counts[each]))]}
    />
  );
}

function NoDifference({ q }: { q: string }) {
  return (
    <Empty icon="check" title={q === '' ? 'No differences' : 'No matching differences'}>
      {q === '' ? 'Both versions redirect the same.' : 'No redirect that differs has this text in its path or target.'}
    </Empty>
  );
}
