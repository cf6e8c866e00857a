import { useSignal } from '@preact/signals';
import { writes } from '../../api/client/client.ts';
import { deleteUrls, listUrls } from '../../api/urls.ts';
import type { UrlCheck, UrlList, Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { setQuery, urlWith } from '../../router.ts';
import { mayEdit } from '../../state/session.ts';
import { useOnChange } from '../../state/resource/use-resource.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { toast } from '../../state/toasts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { EnvironmentSelect, QuerySelect, SearchField } from '../../ui/form/query-fields.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Tabs } from '../../ui/page/tabs.tsx';
import { AcceptDialog } from './accepted-panel.tsx';
import { UrlCells } from './url-cells.tsx';
import { ANSWER_ORDER, ANSWERS, answeredIn, FILTERS, isFiltered, SORTS, type View } from './view.ts';

const PAGE_SIZE = 100;
const OPEN = { keys: 'Enter', label: 'Open the redirect that answers, or create one' };
const KEYS = [{ keys: ' ', label: 'Select the URL' }, OPEN, { keys: 'a', label: 'Accept the loss' }];

interface FoundProps {
  website: Website;
  view: View;
  /** undefined if the check failed */
  counts: UrlCheck['check'] | undefined;
  /** of the environment */
  lists: UrlList[];
}

/** The URLs of a view: a tab for each answer, filters, and the selected rows. */
export function FoundUrls({ website, view, counts, lists }: FoundProps) {
  const { filter, sort } = view;
  const answered = answeredIn(view, counts?.lost);
  const pages = usePages(
    JSON.stringify(['urls', website.id, filter, answered, sort]),
    (cursor, signal) => listUrls(website.id, { ...filter, answered, sort, cursor, limit: PAGE_SIZE }, signal),
    ({ urls }) => urls,
  );
  useOnChange(writes.value, pages.reload);
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const accepted = useSignal<string | undefined>(undefined);
  const loaded = pages.data.value ?? [];
  const chosen = loaded.filter(({ id }) => selected.value.has(id)).map(({ id }) => id);
  function toggle(id: string): void {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    selected.value = next;
  }
  return (
    <>
      <AnswerTabs counts={counts} answered={answered} />
      <Filters view={view} lists={lists} />
      {answered && <p class="muted">{ANSWERS[answered].help}</p>}
      {chosen.length > 0 && (
        <SelectedUrls
          {...{ website, chosen }}
          all={loaded.length}
          onSelect={(isAll) => (selected.value = new Set(isAll ? loaded.map(({ id }) => id) : []))}
        />
      )}
      <ResourceList
        list={pages}
        keys={mayEdit.value ? KEYS : [OPEN]}
        class="url-list"
        label="URLs"
        keyOf={({ id }) => id}
        cells={(url) => (
          <UrlCells
            {...{ website, url, search: filter.q }}
            isSelected={selected.value.has(url.id)}
            onSelect={() => toggle(url.id)}
            onAccept={() => (accepted.value = url.url)}
          />
        )}
        empty={<NothingFound view={view} name={answered && ANSWERS[answered].label.toLowerCase()} />}
      />
      {accepted.value !== undefined && (
        <AcceptDialog website={website} start={{ glob: accepted.value }} onClose={() => (accepted.value = undefined)} />
      )}
    </>
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
    <div class="filter-bar">
      <SearchField q={filter.q ?? ''} placeholder="Search URLs and titles" onDown={focusFirstRow} />
      <EnvironmentSelect value={filter.environment} resets={['list', 'answered']} />
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
    </div>
  );
}

const focusFirstRow = (): void => document.querySelector<HTMLElement>('.url-list [data-row]')?.focus();

function SelectedUrls(props: {
  website: Website;
  chosen: string[];
  /** the number of rows that are loaded */
  all: number;
  onSelect: (isAll: boolean) => void;
}) {
  const { website, chosen, all, onSelect } = props;
  const isAsking = useSignal(false);
  const name = counted(chosen.length, 'URL');
  async function remove(): Promise<void> {
    const { deleted } = await deleteUrls(website.id, chosen);
    onSelect(false);
    toast(`${counted(deleted, 'URL')} deleted`);
  }
  return (
    <div class="filter-bar" role="region" aria-label="Selected URLs">
      <strong aria-live="polite">{number(chosen.length)} selected</strong>
      {chosen.length < all && (
        <Button kind="quiet" size="small" onClick={() => onSelect(true)}>
          Select all {number(all)} shown
        </Button>
      )}
      <Button size="small" kind="danger" icon="trash" onClick={() => (isAsking.value = true)}>
        Delete
      </Button>
      <IconButton label="Clear selection" icon="close" size="small" onClick={() => onSelect(false)} />
      {isAsking.value && (
        <Confirm
          title={`Delete ${name}?`}
          verb={`Delete ${name}`}
          onConfirm={remove}
          onClose={() => (isAsking.value = false)}
        >
          Their clicks, links and history are deleted too, and they leave every list until its next push has them again.
          This cannot be undone.
        </Confirm>
      )}
    </div>
  );
}

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
