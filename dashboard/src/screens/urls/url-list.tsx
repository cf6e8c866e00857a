import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { writes } from '../../api/client/client.ts';
import { listUrls } from '../../api/urls.ts';
import type { UrlAnswer } from '../../../../src/vocabulary/urls.ts';
import type { UrlCheck, UrlList, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { closeQuery, query, setQuery, urlWith } from '../../router.ts';
import { mayEdit } from '../../state/session.ts';
import { useOnChange } from '../../state/resource/use-resource.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { FilterBar } from '../../ui/page/folded.tsx';
import { QuerySelect, SearchField } from '../../ui/form/query-fields.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { rowAfter } from '../../ui/list/use-rows.ts';
import { useSelection } from '../../ui/list/use-selection.ts';
import { Empty } from '../../ui/page/states.tsx';
import { Tabs } from '../../ui/page/tabs.tsx';
import { AcceptDialog } from './accepted-panel.tsx';
import { RedirectPanel } from '../redirects/panel.ts';
import { type LostUrls, needsRedirect, nextStep, reloadWhenLive, waitsForDeployment } from './actions.ts';
import { LostBar } from './lost-bar.tsx';
import { UrlCells } from './url-cells.tsx';
import { ANSWER_ORDER, ANSWERS, answeredIn, FILTERS, isFiltered, SORTS, type View } from './view.ts';

const PAGE_SIZE = 100;
/** Until suggestions are computed. */
const PENDING_MS = 4_000;
const OPEN = { keys: 'Enter', label: 'Open the redirect that answers, or create one' };
const KEYS = [
  OPEN,
  { keys: '1', label: 'Redirect it to the suggestion' },
  { keys: 'e', label: 'Redirect the lost URL at which its redirects end' },
  { keys: 'a', label: 'Accept the loss' },
  { keys: 'x', label: 'Select the URL (also Space; Shift with arrows and Ctrl+A select several)' },
];

interface FoundProps {
  website: Website;
  view: View;
  /** undefined if the check failed */
  counts: UrlCheck['check'] | undefined;
  /** of the environment */
  lists: UrlList[];
}

/** The URLs of a view as far as they are loaded, and which are selected. */
function useFound({ website, view: { filter, sort } }: FoundProps, answered: UrlAnswer | undefined) {
  const key = JSON.stringify(['urls', website.id, filter, answered, sort]);
  const isPending = useSignal(false);
  const pages = usePages(
    key,
    (cursor, signal) => {
      const draft = (answered ?? 'lost') === 'lost';
      const asked = { ...filter, answered, sort, draft, suggest: mayEdit.value && draft };
      return listUrls(website.id, { ...asked, cursor, limit: PAGE_SIZE }, signal);
    },
    ({ urls, pending = false }) => {
      isPending.value = pending;
      return urls;
    },
    { everyMs: isPending.value ? PENDING_MS : undefined },
  );
  useOnChange(writes.value, pages.reload);
  const rows = pages.data.value ?? [];
  const selection = useSelection(
    key,
    rows.filter(needsRedirect).map(({ id }) => id),
  );
  return { isPending: isPending.value, pages, rows, selection };
}

/** The URLs of a view: a tab for each answer, and filters. */
export function FoundUrls(props: FoundProps) {
  const { website, view, counts, lists } = props;
  const { filter } = view;
  const answered = answeredIn(view, counts?.lost);
  const { isPending, pages, rows, selection } = useFound(props, answered);
  const accepted = useSignal<string | undefined>(undefined);
  const opener = useRef<Element>(undefined);
  const lost = { website, environment: filter.environment };
  function openForm(url: string, from: Element): void {
    opener.current = from;
    RedirectPanel.open(() => setQuery({ new: url }));
  }
  return (
    <>
      <AnswerTabs counts={counts} answered={answered} />
      <Filters view={view} lists={lists} />
      <Waiting lost={lost} count={rows.filter(waitsForDeployment).length} />
      {isPending && <p class="small muted">Suggestions are being computed.</p>}
      {mayEdit.value && <LostBar lost={lost} rows={rows} selection={selection} />}
      <ResourceList
        list={pages}
        selection={mayEdit.value ? selection : undefined}
        keys={mayEdit.value ? KEYS : [OPEN]}
        class="url-list"
        label="URLs"
        keyOf={({ id }) => id}
        cells={(url) => (
          <UrlCells
            {...{ website, url, answered, search: filter.q, lost, selection }}
            onRedirect={openForm}
            onAccept={() => (accepted.value = url.url)}
          />
        )}
        empty={<NothingFound view={view} name={answered && ANSWERS[answered].label.toLowerCase()} />}
      />
      <NewRedirect lost={lost} next={() => rowAfter(opener.current)} />
      {accepted.value !== undefined && (
        <AcceptDialog website={website} start={{ glob: accepted.value }} onClose={() => (accepted.value = undefined)} />
      )}
    </>
  );
}

/** The form for the lost URL in the query of the page. After a save, the next row has the focus. */
function NewRedirect({
  lost: { website, environment },
  next,
}: {
  lost: LostUrls;
  next: () => HTMLElement | undefined;
}) {
  const url = query.value.get('new');
  if (!mayEdit.value || url === null) return null;
  return (
    <RedirectPanel
      website={website}
      start={{ old_path: url, target_environments: environment }}
      onChanged={reloadWhenLive}
      nextFocus={next}
      onClose={() => closeQuery('new')}
    />
  );
}

/** The listed lost URLs that need no redirect, and the review that makes theirs live. */
function Waiting({ lost, count }: { lost: LostUrls; count: number }) {
  if (count === 0) return null;
  const next = nextStep(lost);
  return (
    <p class="small">
      {counted(count, 'listed URL is', 'listed URLs are')} answered after the next deployment.{' '}
      {next && <a href={next.href}>Review and deploy</a>}
    </p>
  );
}

function AnswerTabs({ counts, answered }: Pick<FoundProps, 'counts'> & { answered: ReturnType<typeof answeredIn> }) {
  const tab = (name: string, label: string, count: number | undefined, tone: string) => ({
    href: urlWith({ answered: name }),
    isCurrent: name === (answered ?? 'all'),
    label: (
      <>
        {label} {count !== undefined && <span class={`badge ${count > 0 ? tone : ''}`}>{number(count)}</span>}
      </>
    ),
  });
  const tabs = ANSWER_ORDER.map((each) => tab(each, ANSWERS[each].label, counts?.[each], ANSWERS[each].tone));
  return <Tabs label="Answers" tabs={[...tabs, tab('all', 'All', counts?.urls, '')]} />;
}

function Filters({ view: { filter, sort }, lists }: Pick<FoundProps, 'view' | 'lists'>) {
  const names = [...new Set([...lists.map(({ list }) => list), ...(filter.list === undefined ? [] : [filter.list])])];
  return (
    <FilterBar
      names={['list', 'state', 'source', 'type', 'sort']}
      search={<SearchField q={filter.q ?? ''} placeholder="Search URLs and titles" onDown={focusFirstRow} />}
    >
      <QuerySelect
        label="List"
        name="list"
        value={filter.list ?? ''}
        options={[['', 'All lists'], ...names.map((name) => [name, name] as const)]}
      />
      {FILTERS.map(({ name, label, options }) => (
        <QuerySelect key={name} {...{ name, label, options }} value={filter[name] ?? ''} />
      ))}
      <QuerySelect label="Order" name="sort" value={sort} options={SORTS} />
    </FilterBar>
  );
}

const focusFirstRow = (): void => document.querySelector<HTMLElement>('.url-list [data-row]')?.focus();

function NothingFound({ view, name }: { view: View; name: string | undefined }) {
  if (!isFiltered(view)) return <Empty icon="check" title={name === undefined ? 'No URLs' : `No ${name} URLs`} />;
  const clear = { q: undefined, state: undefined, list: undefined, source: undefined, type: undefined };
  return (
    <Empty
      icon="search"
      title="No matching URLs"
      actions={<Button onClick={() => setQuery(clear)}>Clear filters</Button>}
    />
  );
}
