/** Screens of a list of resources: each gives its texts, and the cells of a row. */
import { type ComponentChildren, Fragment } from 'preact';
import { useId } from 'preact/hooks';
import { relativeDay } from '../../format.ts';
import { closeQuery, query, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import type { Pages } from '../../state/resource/use-pages.ts';
import type { Resource } from '../../state/resource/use-resource.ts';
import { Button } from '../button.tsx';
import { Page } from '../page/page.tsx';
import { Loaded } from '../page/states.tsx';
import { ROW, type RowKey, useRows } from './use-rows.ts';
import type { KeyedSelection } from './use-selection.ts';

interface Creation {
  /** such as `New API key`: of the button, and of the key N */
  label: string;
  /** opened by `?new=` this name, so that a link opens it too */
  name: string;
  dialog: (close: () => void) => ComponentChildren;
}

/** The screen of a list. `creation`: undefined if the user may not create. */
export function ResourceScreen({
  creation,
  actions,
  children,
  ...page
}: Omit<Parameters<typeof Page>[0], 'isWide'> & { creation: Creation | undefined }) {
  useKeys(creation ? [{ keys: 'n', label: creation.label, run: () => setQuery({ new: creation.name }) }] : []);
  return (
    <Page
      {...page}
      actions={
        <>
          {actions}
          {creation && <NewButton of={creation} keys="N" />}
        </>
      }
    >
      {children}
      {creation && query.value.get('new') === creation.name && creation.dialog(() => closeQuery('new'))}
    </Page>
  );
}

/** Opens the dialog of a creation. */
export function NewButton({ of, keys }: { of: Pick<Creation, 'label' | 'name'> | undefined; keys?: string }) {
  if (!of) return null;
  return (
    <Button kind="primary" icon="plus" {...(keys && { keys })} onClick={() => setQuery({ new: of.name })}>
      {of.label}
    </Button>
  );
}

interface RowsProps<Row> {
  /** names of the columns */
  headings?: readonly string[];
  keyOf: (row: Row) => string | number;
  /** the cells of a row */
  cells: (row: Row) => ComponentChildren;
  /** the cells of a row above this one, which heads a group of rows; undefined: no group begins here */
  headOf?: (row: Row) => ComponentChildren;
  /** of the list */
  class: string;
  label?: string;
}

/** Rows with keyboard navigation and further pages, and the states of their request. */
export function ResourceList<Row>({
  list,
  rows,
  title,
  aside,
  keys = [],
  selection,
  dayOfRow,
  empty,
  footer,
  ...more
}: RowsProps<Row> & {
  list: Resource<Row[]> | Pages<Row>;
  /** default: all that are loaded */
  rows?: Row[];
  /** puts the list into a card with this header */
  title?: string;
  /** at the right of the header */
  aside?: ComponentChildren;
  /** shortcuts of a focused row */
  keys?: RowKey[];
  /** rows with a `SelectBox` are selected by keys too */
  selection?: KeyedSelection | undefined;
  /** the time of a row; groups them by day */
  dayOfRow?: (row: Row) => string;
  /** replaces the list while it has no rows */
  empty: ComponentChildren;
  footer?: ComponentChildren;
}) {
  const attributes = useRows(keys, selection);
  const pages = 'more' in list ? list : undefined;
  function content(loaded: Row[]): ComponentChildren {
    const shown = rows ?? loaded;
    if (shown.length === 0 && !pages?.hasMore.value) return empty;
    return (
      <div class={dayOfRow ? 'stack gap-5' : title === undefined ? 'card' : undefined} {...attributes}>
        {dayOfRow ? <Days rows={shown} dayOfRow={dayOfRow} {...more} /> : <Rows rows={shown} {...more} />}
        {pages && <LoadMore pages={pages} />}
        {footer}
      </div>
    );
  }
  if (title === undefined) return <Loaded of={list} lines={8} height={22} children={content} />;
  return <ListCard title={title} aside={aside} resource={list} children={content} />;
}

/** A card with a list that has its own request: a skeleton while it loads, or its error. */
export function ListCard<Data>({
  title,
  aside,
  resource,
  children,
}: {
  title: string;
  /** at the right of the header */
  aside: ComponentChildren;
  resource: Resource<Data>;
  children: (loaded: Data) => ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="card list-card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      <Loaded of={resource} lines={3} height={22}>
        {children}
      </Loaded>
    </section>
  );
}

function Days<Row>({ rows, dayOfRow, ...more }: RowsProps<Row> & { rows: Row[]; dayOfRow: (row: Row) => string }) {
  return [...Map.groupBy(rows, (row) => relativeDay(dayOfRow(row)))].map(([day, ofDay]) => (
    <section key={day} class="stack">
      <h2>{day}</h2>
      <Rows {...more} class={`card ${more.class}`} rows={ofDay} />
    </section>
  ));
}

function Rows<Row>({ rows, headings, keyOf, cells, headOf, class: name, label }: RowsProps<Row> & { rows: Row[] }) {
  return (
    <ul class={`row-list ${name}`} aria-label={label}>
      {headings && <Headings texts={headings} />}
      {rows.map((row) => {
        const head = headOf?.(row);
        return (
          <Fragment key={keyOf(row)}>
            {head && (
              <li class="group-head" {...ROW}>
                {head}
              </li>
            )}
            <li {...ROW}>{cells(row)}</li>
          </Fragment>
        );
      })}
    </ul>
  );
}

/**
 * Names of the columns of a `row-list`, as its first entry; shown if the list is at least 720 px wide. Screen readers
 * skip it: they read each cell in its row.
 */
export const Headings = ({ texts }: { texts: readonly string[] }) => (
  <li class="headings" aria-hidden="true">
    {texts.map((text) => (
      <span key={text}>{text}</span>
    ))}
  </li>
);

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
