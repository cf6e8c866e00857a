import './not-found.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { listMissingPaths } from '../../api/analytics.ts';
import type { MissingPath, Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import { planHas, mayEdit } from '../../state/session.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page/page.tsx';
import { PlanNeeded } from '../../ui/page/plan-needed.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { useSelection } from '../../ui/list/use-selection.ts';
import { FilterBar } from '../../ui/page/folded.tsx';
import { QuerySelect, SearchField } from '../../ui/form/query-fields.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { type Inbox as Actions, setAllIgnored } from './actions.ts';
import { DecideBar } from './decide.tsx';
import { Groups } from './groups.tsx';
import { isOpen, PathCells } from './path-row.tsx';
import { AGENTS, HEADINGS, NOT_FOUND_TOKENS, SHOWN, type Shown, SORTS, type View, filterOf, viewOf } from './view.ts';

/** Suggestions of a large website are ready within 10 s. */
const PENDING_MS = 4_000;
const LEAD = 'Requested paths that match no redirect.';

export function NotFoundScreen({ website }: { website: Website }) {
  if (planHas('analytics')) return <Inbox website={website} view={viewOf(query.value)} />;
  return (
    <Page title="Not found" lead={LEAD}>
      <PlanNeeded feature="analytics" />
    </Page>
  );
}

function Inbox({ website, view }: { website: Website; view: View }) {
  const { environment, shown, q, sort, agents } = view;
  const isWhole = q === '' && agents === 'all';
  const otherHits = useSignal(0);
  const isPending = useSignal(false);
  // Stays after they have arrived, so that rows never move.
  const hasLateSuggestions = useSignal(false);
  const pages = usePages(
    `not-found:${website.id}:${environment}:${shown}:${sort}:${agents}:${q}`,
    (cursor, signal) => listMissingPaths(website.id, { ...filterOf(view), cursor }, signal),
    (page) => {
      [otherHits.value, isPending.value] = [page.other.hits, page.pending];
      if (page.pending) hasLateSuggestions.value = true;
      return page.paths;
    },
  );
  const rows = pages.data.value ?? [];
  const open = rows.filter(isOpen).map(({ path }) => path);
  const selection = useSelection(JSON.stringify([environment, shown, agents, q]), open);
  const inbox = {
    ...{ website, websiteId: website.id, environment, pages, selection },
    hasLateSuggestions: hasLateSuggestions.value,
  };
  const canDecide = mayEdit.value && shown === 'paths';
  useEffect(() => reloadIn(isPending.value ? PENDING_MS : undefined, pages.reload), [pages.data.value]);
  return (
    <Page
      title="Not found"
      lead={
        <>
          {LEAD} {!mayEdit.value && <span class="badge warn">Read only</span>}
        </>
      }
      actions={<Filters view={view} />}
    >
      {shown === 'paths' && isWhole && <Groups websiteId={website.id} environment={environment} />}
      {canDecide && <DecideBar inbox={inbox} rows={rows} />}
      <ResourceList
        list={pages}
        selection={canDecide ? selection : undefined}
        keys={mayEdit.value ? keysOf(shown) : [COPY, DETAILS]}
        class="missing-list"
        headings={HEADINGS}
        keyOf={({ path }) => path}
        cells={(missing) => <PathCells inbox={inbox} missing={missing} search={q} isIgnored={shown === 'ignored'} />}
        empty={<Nothing shown={shown} isWhole={isWhole} />}
        footer={q !== '' && mayEdit.value && <IgnoreAll inbox={inbox} rows={rows} isIgnored={shown === 'ignored'} />}
      />
      {isPending.value && <p class="muted small">Suggestions are being prepared.</p>}
      {otherHits.value > 0 && (
        <p class="muted small">
          {counted(otherHits.value, 'more hit')} on paths that are not listed: there were too many different paths.
        </p>
      )}
    </Page>
  );
}

interface IgnoreAllProps {
  inbox: Actions;
  rows: readonly MissingPath[];
  isIgnored: boolean;
}

const IgnoreAll = ({ inbox, rows, isIgnored }: IgnoreAllProps) => (
  <div class="more">
    <Button onClick={() => setAllIgnored(inbox, rows, !isIgnored)}>
      {isIgnored ? 'Stop ignoring' : 'Ignore'} {counted(rows.length, 'listed path')}
    </Button>
  </div>
);

function reloadIn(ms: number | undefined, reload: () => void): (() => void) | undefined {
  if (ms === undefined) return undefined;
  const timer = setTimeout(reload, ms);
  return () => clearTimeout(timer);
}

function Filters({ view }: { view: View }) {
  return (
    <FilterBar
      names={['show', 'agents', 'sort']}
      search={
        <SearchField
          q={view.q}
          placeholder="Search paths, or by:bots"
          onDown={focusFirstRow}
          tokens={NOT_FOUND_TOKENS}
        />
      }
    >
      <QuerySelect label="Paths" name="show" value={view.shown} options={SHOWN} />
      <QuerySelect label="Requested" name="agents" value={view.agents} options={AGENTS} />
      <QuerySelect label="Order" name="sort" value={view.sort} options={SORTS} />
    </FilterBar>
  );
}

const focusFirstRow = (): void => document.querySelector<HTMLElement>('.missing-list [data-row]')?.focus();

const COPY = { keys: 'c', label: 'Copy the path' };
const DETAILS = { keys: 'o', label: 'Show or hide the details of the path' };
const SELECT = { keys: 'x', label: 'Select the path (also Space; Shift with arrows and Ctrl+A select several)' };

function keysOf(shown: Shown) {
  if (shown === 'ignored') return [{ keys: 'Enter', label: 'Stop ignoring the path' }, COPY, DETAILS];
  const ignore = { keys: 'Delete', label: 'Ignore the path' };
  if (shown === 'noise') return [ignore, COPY, DETAILS];
  return [
    COPY,
    DETAILS,
    { keys: 'Enter', label: 'Redirect the path' },
    { keys: '1', label: 'Redirect it to the first suggestion (2 and 3: the others); a guess opens the form' },
    SELECT,
    ignore,
  ];
}

const EMPTY_TEXT: Record<Shown, readonly [string, string]> = {
  paths: ['No unmatched paths', 'A requested path that matches no redirect appears here immediately.'],
  noise: ['No scanner paths', 'Paths that scanners request from every website, such as /.env, are listed here.'],
  ignored: ['No ignored paths', 'Paths that you ignore or redirect here are listed, and their hits are still counted.'],
};

function Nothing({ shown, isWhole }: Pick<View, 'shown'> & { isWhole: boolean }) {
  if (!isWhole) {
    return (
      <Empty
        icon="search"
        title="No matching paths"
        actions={<Button onClick={() => setQuery({ q: undefined, agents: undefined })}>Clear search</Button>}
      >
        No path of this list matches the search and the agents.
      </Empty>
    );
  }
  const [title, text] = EMPTY_TEXT[shown];
  return (
    <Empty
      icon={shown === 'paths' ? 'check' : 'missing'}
      title={title}
      actions={shown !== 'paths' && <Button onClick={() => setQuery({ show: undefined })}>Go to inbox</Button>}
    >
      {text}
    </Empty>
  );
}
