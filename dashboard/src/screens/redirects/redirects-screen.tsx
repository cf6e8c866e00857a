import './redirects.css';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { writes } from '../../api/client/client.ts';
import type { Website } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { cameByHistory, go, query, setQuery, urlWith } from '../../router.ts';
import { pastedRows, ROWS, useBackOnline, usePaste } from '../../state/browser.ts';
import { holdKeys, rendered } from '../../state/hold-keys.ts';
import { type Shortcut, useKeys } from '../../state/keys.ts';
import { planHas, mayEdit } from '../../state/session.ts';
import { leaveScreen } from '../../state/unsaved.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { shortcutsOf } from '../../ui/list/use-rows.ts';
import { Tabs } from '../../ui/page/tabs.tsx';
import { DeploymentWatch } from './deployment-watch.tsx';
import { createGridModel, type GridModel, rowHeight } from './list/grid-model.ts';
import { hasNone, ListBody } from './list/list-body.tsx';
import { recall, remember, store } from './list/list-memory.ts';
import { createRedirectList, type RedirectList } from './list/redirect-list.ts';
import { isWide, openId, pageUrl } from './open-page.ts';
import { BulkBar, EditRow, ExportDialog, NewRedirect, preloadParts, RedirectPage, Upcoming } from './parts.ts';
import { createSelection } from './list/selection.ts';
import { Toolbar } from './toolbar.tsx';
import { type View, viewOf } from './view.ts';

/** The redirects of a website: list, search, edit, select, delete; and the page of one of them. */
export function RedirectsScreen({ website }: { website: Website }) {
  const list = useMemo(createRedirectList, []);
  const selection = useMemo(() => createSelection(list), [list]);
  const makeModel = useMemo(() => createGridModel(EditRow.open), []);
  const grid = useRef<HTMLDivElement>(null);
  const now = viewOf(website.id, query.value, planHas('analytics'));
  const view = useMemo(() => now, [JSON.stringify(now)]);

  const model = makeModel({ list, view, selection, scroller: () => grid.current?.parentElement ?? null });
  usePlace(model);
  const focusGrid = (): void => grid.current?.focus();
  /** A new redirect is the first row, whatever the order. */
  function focusNew(): void {
    model.show(0);
    focusGrid();
  }
  /** Keys that follow are for the rows that the search finds. */
  const focusResults = (): void =>
    void holdKeys(async () => {
      await rendered();
      const hasRows = await list.settled();
      await rendered();
      focusGrid();
      return hasRows;
    });
  useKeys(keysOf(mayEdit.value, focusGrid));
  usePaste((text) => {
    if (!mayEdit.value || !ROWS.test(text)) return;
    leaveScreen(() => {
      pastedRows.text = text;
      go(`/websites/${website.id}/import`);
    });
  });
  useParts(list, website.id, focusGrid);
  const opened = openId.value;
  const isEmpty = hasNone(list, view);
  return (
    <div class="redirects" data-page={opened !== undefined}>
      <div class="list-pane" inert={opened !== undefined && !isWide.value}>
        <ScreenHeader website={website} view={view} list={list} isEmpty={isEmpty} />
        {query.value.get('view') === 'upcoming' ? (
          <Upcoming websiteId={website.id} />
        ) : (
          <>
            {!isEmpty && <Toolbar view={view} onDown={focusResults} />}
            <ListBody model={model} view={view} gridRef={grid} />
          </>
        )}
      </div>
      {opened !== undefined && <RedirectPage model={model} website={website} id={opened} />}
      {mayEdit.value && !selection.isEmpty() && <BulkBar model={model} />}
      {mayEdit.value && query.value.has('new') && <NewRedirect list={list} website={website} onCreated={focusNew} />}
      <DeploymentWatch websiteId={website.id} list={list} />
    </div>
  );
}

/** Loads the other parts after the list, follows links of former versions, and returns the focus of a closed page. */
function useParts(list: RedirectList, websiteId: number, focusGrid: () => void): void {
  const former = query.value.get('open');
  const isOpen = openId.value !== undefined;
  const wasOpen = useRef(isOpen);
  useLayoutEffect(() => {
    if (former !== null) go(pageUrl(websiteId, former), { replace: true });
  }, [former]);
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) focusGrid();
    wasOpen.current = isOpen;
  }, [isOpen]);
  useEffect(() => void list.settled().then(preloadParts), []);
}

/** Shows the view: as the user left it after Back and when coming from another screen, otherwise from the top. */
function usePlace({ list, view, active, selection, scroller }: GridModel): void {
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    selection.clear();
    const place = isFirst.current || cameByHistory() ? recall(view) : undefined;
    isFirst.current = false;
    if (place) {
      active.value = place.active;
      list.restore(view, place, place.writes !== writes.peek());
    } else {
      active.value = 0;
      list.show(view);
    }
    function leave(keep: typeof remember): void {
      const loaded = list.loaded(view);
      const top = (scroller()?.scrollTop ?? 0) / rowHeight.peek();
      if (loaded) keep(view, { ...loaded, top, active: active.peek(), writes: writes.peek() });
    }
    const reload = (): void => leave(store);
    addEventListener('pagehide', reload);
    return () => {
      removeEventListener('pagehide', reload);
      leave(remember);
    };
  }, [view]);
  useEffect(() => list.end, []);
  useBackOnline(() => list.error.peek()?.status === 0 && list.retry());
}

const openNew = (): void => NewRedirect.open(() => setQuery({ new: '/' }));

const SELECT = { keys: ' ', label: 'Select redirect' };
const DELETE = { keys: 'Delete', label: 'Delete redirect or selection' };

/** Shortcuts of the screen. The grid handles its own keys; elsewhere they focus it. */
function keysOf(canEdit: boolean, focusGrid: () => void): Shortcut[] {
  const ofRows = [
    { keys: 'Enter', label: canEdit ? 'Edit in the row (also F2)' : 'Open redirect' },
    { keys: 'o', label: 'Open redirect' },
    { keys: 'C', label: 'Copy target (Ctrl+C: source or selection)' },
    ...(canEdit ? [SELECT, DELETE] : []),
  ];
  const create = { keys: 'n', label: 'New redirect', run: openNew };
  return [...shortcutsOf(ofRows, focusGrid), ...(canEdit ? [create] : [])];
}

/** `isEmpty`: the website has no redirects, so the page below offers the first steps. */
function ScreenHeader(props: { website: Website; view: View; list: RedirectList; isEmpty: boolean }) {
  const { website, view, list, isEmpty } = props;
  const shown = useSignal('');
  const isExporting = useSignal(false);
  const total = list.total.value;
  const hasFailed = list.error.value !== undefined;
  useEffect(() => {
    // Keeps the previous count until the next one arrives. After a failure it is not that of the rows.
    if (hasFailed) shown.value = '';
    else if (total !== undefined) shown.value = number(total);
  }, [total, hasFailed]);
  useEffect(() => {
    if (openId.value === undefined) document.title = `Redirects of ${website.name} · Detour`;
  }, [website.name, openId.value]);
  const isUpcoming = query.value.get('view') === 'upcoming';
  const tabs = [
    { label: 'List', href: urlWith({ view: undefined, from: undefined, day: undefined }), isCurrent: !isUpcoming },
    { label: 'Upcoming', href: urlWith({ view: 'upcoming' }), isCurrent: isUpcoming },
  ];
  return (
    <div class="page-head">
      <div class="row top wrap gap-5">
        <h1>
          Redirects {shown.value !== '' && <span class="badge">{shown.value}</span>}
          {!mayEdit.value && <span class="badge warn">Read only</span>}
        </h1>
        <Tabs label="View" tabs={tabs} />
      </div>
      {!isEmpty && (
        <div class="actions">
          <Button onClick={() => (isExporting.value = true)}>Export</Button>
          {mayEdit.value && (
            <>
              <LinkButton href={`/websites/${website.id}/import`}>Import</LinkButton>
              <Button kind="primary" icon="plus" keys="N" onClick={openNew}>
                New redirect
              </Button>
            </>
          )}
        </div>
      )}
      {isExporting.value && <ExportDialog view={view} onClose={() => (isExporting.value = false)} />}
    </div>
  );
}
