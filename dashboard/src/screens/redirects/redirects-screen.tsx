import './redirects.css';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { writes } from '../../api/client/client.ts';
import type { Website } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { cameByHistory, type Params, query, setQuery } from '../../router.ts';
import { useBackOnline } from '../../state/browser.ts';
import { holdKeys, rendered } from '../../state/hold-keys.ts';
import { type Shortcut, useKeys } from '../../state/keys.ts';
import { planHas, mayEdit } from '../../state/session.ts';
import { useWebsite } from '../../state/websites.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { shortcutsOf } from '../../ui/list/use-rows.ts';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { DeploymentWatch } from './deployment-watch.tsx';
import { ExportMenu } from './export/export-menu.tsx';
import { createGridModel, type GridModel, rowHeight } from './list/grid-model.ts';
import { ListBody } from './list/list-body.tsx';
import { recall, remember } from './list/list-memory.ts';
import { OpenPanel } from './edit/open-panel.tsx';
import { createRedirectList, type RedirectList } from './list/redirect-list.ts';
import { createSelection } from './list/selection.ts';
import { Toolbar } from './toolbar.tsx';
import { type View, viewOf } from './view.ts';

/** The redirects of a website: list, search, edit, select, delete. */
export function RedirectsScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  return website ? <Redirects website={website} /> : null;
}

function Redirects({ website }: { website: Website }) {
  const list = useMemo(createRedirectList, []);
  const selection = useMemo(() => createSelection(list), [list]);
  const makeModel = useMemo(createGridModel, []);
  const grid = useRef<HTMLDivElement>(null);
  const now = viewOf(website.id, query.value, planHas('analytics'));
  const view = useMemo(() => now, [JSON.stringify(now)]);

  const model = makeModel({ list, view, selection, scroller: () => grid.current?.parentElement ?? null });
  usePlace(model);
  const focusGrid = (): void => grid.current?.focus();
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
  return (
    <div class="redirects">
      <ScreenHeader website={website} view={view} list={list} />
      <Toolbar view={view} onDown={focusResults} />
      <ListBody model={model} view={view} gridRef={grid} />
      {mayEdit.value && <BulkBar model={model} />}
      <OpenPanel list={list} website={website} />
      <DeploymentWatch websiteId={website.id} list={list} />
    </div>
  );
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
    return () => {
      const loaded = list.loaded(view);
      const top = (scroller()?.scrollTop ?? 0) / rowHeight.peek();
      if (loaded) remember(view, { ...loaded, top, active: active.peek(), writes: writes.peek() });
    };
  }, [view]);
  useEffect(() => list.end, []);
  useBackOnline(() => list.error.peek()?.status === 0 && list.retry());
}

/** Shortcuts of the screen. The grid handles its own keys; elsewhere they focus it. */
function keysOf(canEdit: boolean, focusGrid: () => void): Shortcut[] {
  const ofRows = [
    { keys: 'Enter', label: canEdit ? 'Edit redirect' : 'Open redirect' },
    { keys: 'o', label: 'Open redirect details' },
    { keys: ' ', label: 'Select redirect' },
    { keys: 'C', label: 'Copy target (Ctrl+C copies the source)' },
    ...(canEdit ? [{ keys: 'Delete', label: 'Delete redirect or selection' }] : []),
  ];
  const create = { keys: 'n', label: 'New redirect', run: () => setQuery({ new: '/' }) };
  return [...shortcutsOf(ofRows, focusGrid), ...(canEdit ? [create] : [])];
}

function ScreenHeader({ website, view, list }: { website: Website; view: View; list: RedirectList }) {
  const shown = useSignal('');
  const total = list.total.value;
  const hasFailed = list.error.value !== undefined && list.rows.value.length === 0;
  useEffect(() => {
    // Keeps the previous count until the next one arrives.
    if (total !== undefined) shown.value = number(total);
    else if (hasFailed) shown.value = '';
  }, [total, hasFailed]);
  useEffect(() => {
    document.title = `Redirects of ${website.name} · Detour`;
  }, [website.name]);
  return (
    <div class="page-head">
      <h1>
        Redirects {shown.value !== '' && <span class="badge">{shown.value}</span>}
        {!mayEdit.value && <span class="badge warn">Read only</span>}
      </h1>
      <div class="actions">
        <ExportMenu view={view} />
        {mayEdit.value && (
          <>
            <LinkButton href={`/websites/${website.id}/import`}>Import</LinkButton>
            <Button kind="primary" icon="plus" keys="N" onClick={() => setQuery({ new: '/' })}>
              New redirect
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
