import './expectations.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { deleteExpectation, expectationsUrl, listExpectations, putExpectations } from '../../api/checks.ts';
import type { Expectation, ListedExpectation, Website } from '../../api/client/wire.ts';
import { query, setQuery } from '../../router.ts';
import { mayEdit } from '../../state/session.ts';
import { toastResult } from '../../state/toasts.ts';
import { type Pages, usePages } from '../../state/resource/use-pages.ts';
import { Button, IconButton, LinkButton } from '../../ui/button.tsx';
import { EnvironmentBadge } from '../../ui/text/environment.tsx';
import { expectedText, targetOf } from '../../ui/list/failure-list.tsx';
import { TextWithPath, WrappedPath } from '../../ui/text/path-text.tsx';
import { NewButton, ResourceList, ResourceScreen } from '../../ui/list/resource-list.tsx';
import { isUnanswered, useUnanswered } from '../../ui/list/unanswered.tsx';
import { QuerySelect, SearchField } from '../../ui/form/query-fields.tsx';
import { FilterBar } from '../../ui/page/folded.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { ExpectationDialog } from './expectation-dialog.tsx';
import { ImportFile } from './import-file.tsx';
import { LastResult } from './last-result.tsx';
import { RunCard } from './run-card.tsx';

const PAGE_SIZE = 100;
/** The service renews outdated results within seconds. */
const OUTDATED_MS = 2_000;
/** From this number on, the list has a search. */
const MANY = 10;
const NEW = { label: 'New expectation', name: 'expectation' };
/** The first one needs no role. */
const KEYS = [
  { keys: 't', label: 'Test the URL' },
  { keys: 'Enter', label: 'Edit the expectation' },
  { keys: 'Delete', label: 'Delete the expectation' },
];

/** The expected responses of a website, and a run of them. */
export function ExpectationsScreen({ website }: { website: Website }) {
  const filter = filterIn(query.value);
  const { pages, outdated } = useExpectations(website.id, filter);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const edited = useSignal<ListedExpectation | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  const failing = (pages.data.value ?? []).filter((row) => row.result === 'fails' && isUnanswered(row, row.actual));
  const reasons = useUnanswered(failing.map(({ environment, url }) => ({ websiteId: website.id, environment, url })));
  const hasRows = isFiltered || Boolean(pages.data.value?.length);
  const dialog = (close: () => void, existing?: Expectation): ComponentChildren => (
    <ExpectationDialog website={website} existing={existing} onSaved={pages.reload} onClose={close} />
  );
  const creation = mayEdit.value ? { ...NEW, dialog } : undefined;
  return (
    <ResourceScreen
      title="Expectations"
      lead={<Lead website={website} />}
      more={[
        ...(hasRows
          ? [{ label: 'Export', icon: 'file', href: expectationsUrl(website.id), download: true } as const]
          : []),
        ...(mayEdit.value ? [{ label: 'Import', icon: 'import', run: () => input.current?.click() } as const] : []),
      ]}
      creation={creation}
    >
      <ImportFile
        {...{ input, website }}
        present={isFiltered ? 'There may be others now' : presentText(pages)}
        onDone={pages.reload}
      />
      {hasRows && <RunCard website={website} onRun={pages.reload} />}
      {(isFiltered || (pages.data.value?.length ?? 0) >= MANY) && <Filters filter={filter} />}
      <Outdated environments={outdated.value} />
      <ResourceList
        list={pages}
        keys={mayEdit.value ? KEYS : KEYS.slice(0, 1)}
        headings={['URL', 'Expected', 'Environment', 'Last result', ...(mayEdit.value ? [''] : [])]}
        class="expectation-list"
        label="Expectations"
        keyOf={({ environment, url }) => `${environment} ${url}`}
        cells={(each) => (
          <Cells
            website={website}
            expectation={each}
            reasons={reasons}
            onEdit={() => (edited.value = each)}
            onDelete={() => remove(website, pages, each)}
          />
        )}
        empty={isFiltered ? <NoMatch /> : <NoExpectations website={website} creation={creation} />}
      />
      {edited.value && dialog(() => (edited.value = undefined), edited.value)}
    </ResourceScreen>
  );
}

function useExpectations(websiteId: number, filter: ReturnType<typeof filterIn>) {
  const outdated = useSignal<Environment[]>([]);
  const pages = usePages(
    `expectations:${websiteId}:${JSON.stringify(filter)}`,
    (cursor, signal) => listExpectations(websiteId, { ...filter, cursor, limit: PAGE_SIZE, sort: 'result' }, signal),
    (page) => {
      outdated.value = page.outdated;
      return page.expectations;
    },
    { everyMs: outdated.value.length > 0 ? OUTDATED_MS : undefined },
  );
  return { pages, outdated };
}

const Outdated = ({ environments }: { environments: Environment[] }) =>
  environments.length > 0 && (
    <p class="small muted" role="status">
      Checking {environments.join(' and ')} again. Until then, these are the results before the last change.
    </p>
  );

const RESULTS = [
  ['', 'All results'],
  ['fails', 'Fails'],
  ['holds', 'Holds'],
  ['none', 'Not run yet'],
] as const;

/** Unknown values count as absent. */
const filterIn = (asked: URLSearchParams) => ({
  q: asked.get('q') || undefined,
  result: RESULTS.find(([result]) => result !== '' && result === asked.get('result'))?.[0] || undefined,
});

const Filters = ({ filter: { q, result } }: { filter: ReturnType<typeof filterIn> }) => (
  <FilterBar names={['result']} search={<SearchField q={q ?? ''} placeholder="Search URLs" onDown={focusFirstRow} />}>
    <QuerySelect label="Result" name="result" value={result ?? ''} options={RESULTS} />
  </FilterBar>
);

const focusFirstRow = (): void => document.querySelector<HTMLElement>('.expectation-list [data-row]')?.focus();

const NoMatch = () => (
  <Empty
    icon="search"
    title="No matching expectations"
    actions={<Button onClick={() => setQuery({ q: undefined, result: undefined })}>Clear filters</Button>}
  />
);

function presentText({ data, hasMore }: Pages<ListedExpectation>): string | undefined {
  const count = data.value?.length ?? 0;
  if (count === 0) return undefined;
  return hasMore.value ? `There are more than ${count} now` : `There ${count === 1 ? 'is' : 'are'} ${count} now`;
}

function Lead({ website }: { website: Website }) {
  const gated = website.gated_environments;
  return (
    <>
      What visitors of {website.name} must get.{' '}
      {gated.length === 0
        ? 'Deployments do not check them yet: choose environments in '
        : `Deployments to ${gated.join(' and ')} fail unless they hold. `}
      {(mayEdit.value || gated.length === 0) && (
        <a href={`/websites/${website.id}/settings`}>{gated.length === 0 ? 'Settings' : 'Change'}</a>
      )}
      {gated.length === 0 && '.'} {!mayEdit.value && <span class="badge warn">Read only</span>}
    </>
  );
}

interface CellsProps {
  website: Website;
  expectation: ListedExpectation;
  reasons: ReturnType<typeof useUnanswered>;
  onEdit: () => void;
  onDelete: () => void;
}

function Cells({ website, expectation, reasons, onEdit, onDelete }: CellsProps) {
  const { url, environment } = expectation;
  const test = new URLSearchParams({ url, environment });
  return (
    <>
      <a class="mono break" href={`/websites/${website.id}/tester?${test.toString()}`} data-key="t">
        <WrappedPath path={url} />
      </a>
      <span class="break">
        <TextWithPath text={expectedText(expectation)} path={targetOf(expectation)} />
      </span>
      <span>
        <EnvironmentBadge environment={environment} />
      </span>
      <LastResult websiteId={website.id} reasons={reasons} {...expectation} />
      {mayEdit.value && (
        <span class="actions">
          <Button size="small" data-key="Enter" aria-label={`Edit: ${url}`} onClick={onEdit}>
            Edit
          </Button>
          <IconButton size="small" icon="trash" data-key="Delete" label={`Delete: ${url}`} onClick={onDelete} />
        </span>
      )}
    </>
  );
}

/** Removes the row immediately; it returns on failure and on Undo. */
function remove(website: Website, pages: Pages<ListedExpectation>, expectation: ListedExpectation): void {
  pages.data.value = pages.data.value?.filter((row) => row !== expectation);
  const work = deleteExpectation(website.id, expectation).then(() => () => putExpectations(website.id, [expectation]));
  toastResult(work, { done: 'Expectation deleted', failure: 'Could not delete', restore: pages.reload });
}

function NoExpectations({ website, creation }: { website: Website; creation: typeof NEW | undefined }) {
  return (
    <Empty
      icon="expectations"
      title="No expectations yet"
      actions={
        <>
          <NewButton of={creation} />
          <LinkButton href={`/websites/${website.id}/tester`}>Go to tester</LinkButton>
        </>
      }
    >
      An expectation names the response to a URL, for example that /checkout redirects to the shop. Run them before you
      deploy, or let every deployment check them.
    </Empty>
  );
}
