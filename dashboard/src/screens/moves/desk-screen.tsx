import './moves.css';
import { useEffect, useRef } from 'preact/hooks';
import { CONFIDENCES, DECISIONS } from '../../../../src/vocabulary/moves.ts';
import type { Move, Website } from '../../api/client/wire.ts';
import { fetchMove, importMoveRows, moveExport, refreshMove, type RowFilter } from '../../api/moves.ts';
import { counted } from '../../format.ts';
import { closeQuery, query, setQuery } from '../../router.ts';
import type { Params } from '../../router.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { mayEdit } from '../../state/session.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { useKeys } from '../../state/keys.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { FileInput } from '../../ui/file-input.tsx';
import { QuerySelect, SearchField } from '../../ui/form/query-fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Empty, Notice, Problem, Skeleton } from '../../ui/page/states.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import { type Desk, useDesk } from './desk.ts';
import { Progress } from './progress.tsx';
import { RowDetail } from './row-detail.tsx';
import { RowList } from './row-list.tsx';
import { RulesPanel } from './rules-panel.tsx';

const REFRESH_MS = 3_000;

const DECISION_OPTIONS = [
  ['none', 'Undecided'],
  ['', 'All rows'],
  ['redirect', 'Redirects'],
  ['gone', 'Gone'],
  ['keep', 'Staying'],
  ['skip', 'Skipped'],
] as const;

const CONFIDENCE_OPTIONS = [
  ['', 'Any suggestion'],
  ['sure', 'Sure'],
  ['likely', 'Likely'],
  ['guess', 'Guesses'],
  ['none', 'No suggestion'],
] as const;

function filterOf(parameters: URLSearchParams): RowFilter {
  const decision = parameters.get('decision');
  const confidence = parameters.get('confidence');
  return {
    decision: decision === 'all' ? undefined : (DECISIONS.find((each) => each === decision) ?? 'none'),
    confidence: confidence === 'none' ? 'none' : CONFIDENCES.find((each) => each === confidence),
    q: parameters.get('q') || undefined,
  };
}

export function DeskScreen({ website, params }: { website: Website; params: Params }) {
  const moveId = params['moveId'] ?? '';
  const { data, error, reload } = useResource(
    `move:${moveId}`,
    async (signal) => (await fetchMove(website.id, moveId, signal)).move,
    { everyMs: REFRESH_MS },
  );
  const move = data.value;
  if (!move)
    return (
      <Page title="Move">
        {error.value ? <Problem error={error.value} onRetry={reload} /> : <Skeleton lines={8} />}
      </Page>
    );
  return <LoadedDesk key={move.id} website={website} move={move} reload={reload} />;
}

function LoadedDesk({ website, move, reload }: { website: Website; move: Move; reload: () => void }) {
  const filter = filterOf(query.value);
  const desk = useDesk(website, move.id, filter);
  const panel = query.value.get('panel');
  const close = (): void => closeQuery('panel');
  /** After decisions about many rows. */
  function changed(): void {
    desk.pages.reload();
    reload();
  }
  useEffect(() => {
    // Suggestions that are ready by now. Decisions that are being sent would be overwritten.
    if (desk.pages.data.peek()?.some(({ pending }) => pending) && desk.queue.isEmpty()) desk.pages.reload();
  }, [move.progress.matched, move.state]);
  const dialogs = { website, move, desk, onChanged: changed, onClose: close };
  return (
    <Page
      title={move.name}
      isWide
      lead={<a href={`/websites/${website.id}/moves`}>All moves</a>}
      actions={mayEdit.value && <Actions move={move} desk={desk} onChanged={changed} />}
    >
      <div class="row wrap apart">
        <Progress move={move} />
        <Filters filter={filter} />
      </div>
      <Warnings move={move} />
      <Rows desk={desk} />
      {panel === 'many' && <BulkDialog {...dialogs} />}
      {panel === 'rules' && <RulesPanel {...dialogs} />}
      {panel === 'apply' && <ApplyDialog {...dialogs} />}
    </Page>
  );
}

function Actions({ move, desk, onChanged }: { move: Move; desk: Desk; onChanged: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  /** Opens a panel once what was decided is stored. */
  const open = (panel: string) => () => void desk.queue.flush().then(() => setQuery({ panel }));
  async function importFile(file: File): Promise<void> {
    await desk.queue.flush();
    const { updated, conflict_count: conflicts } = await importMoveRows(desk.websiteId, desk.moveId, file);
    onChanged();
    const unchanged =
      conflicts > 0 ? `${counted(conflicts, 'row')} had been decided by others, and stayed so` : undefined;
    toast(`${counted(updated, 'row')} decided`, undefined, undefined, unchanged);
  }
  async function refresh(): Promise<void> {
    await refreshMove(desk.websiteId, desk.moveId);
    onChanged();
  }
  useKeys([{ keys: 'b', label: 'Decide many rows at once', run: open('many') }]);
  return (
    <>
      <Menu label="More" buttonClass="button icon-only" button={<Icon name="more" />}>
        <LinkButton kind="quiet" icon="file" href={moveExport(desk.websiteId, desk.moveId)} download>
          Spreadsheet
        </LinkButton>
        <Button kind="quiet" icon="import" onClick={() => input.current?.click()}>
          Import a spreadsheet
        </Button>
        <Button
          kind="quiet"
          onClick={() =>
            void refresh().catch((thrown: unknown) => toastError(thrown, 'Could not refresh the candidates'))
          }
        >
          Read the new pages again
        </Button>
      </Menu>
      <FileInput
        input={input}
        label="Spreadsheet with decisions"
        accept=".csv"
        onFile={(file) => {
          if (file) importFile(file).catch((thrown: unknown) => toastError(thrown, 'Could not import the spreadsheet'));
        }}
      />
      <Button keys="B" onClick={open('many')}>
        Decide many
      </Button>
      <Button onClick={open('rules')}>Rules</Button>
      <Button kind="primary" disabled={move.progress.decided === 0} onClick={open('apply')}>
        Apply
      </Button>
    </>
  );
}

function Filters({ filter }: { filter: RowFilter }) {
  const decision = query.value.get('decision') === 'all' ? '' : (filter.decision ?? '');
  return (
    <div class="filter-bar">
      <SearchField q={filter.q ?? ''} placeholder="Search URLs and titles" onDown={focusRows} />
      <QuerySelect
        label="Decision"
        name="decision"
        value={decision === '' ? 'all' : decision}
        options={DECISION_OPTIONS.map(([value, label]) => [value === '' ? ('all' as const) : value, label] as const)}
      />
      <QuerySelect label="Suggestion" name="confidence" value={filter.confidence ?? ''} options={CONFIDENCE_OPTIONS} />
    </div>
  );
}

const focusRows = (): void => document.querySelector<HTMLElement>('.move-rows')?.focus();

function Warnings({ move: { warnings, error, met, left_out: leftOut } }: { move: Move }) {
  return (
    <>
      {error !== null && <Notice>The suggestions failed: {error}</Notice>}
      {warnings.length > 0 && (
        <Notice>
          {warnings.map(({ target, rows }) => (
            <p key={target}>
              {counted(rows, 'row')} go to <span class="mono">{target}</span>. Search engines may take them for missing
              pages.
            </p>
          ))}
        </Notice>
      )}
      {leftOut > 0 && (
        <p class="small muted">{counted(leftOut, 'page')} of the new list cannot be targets of this website.</p>
      )}
      {met && (
        <p class="small muted">
          Since it was applied, people have met {counted(met.by_people, 'old URL')} and search engines{' '}
          {counted(met.by_search_engines, 'old URL')}, of {counted(met.urls, 'URL')}.
        </p>
      )}
    </>
  );
}

function Rows({ desk }: { desk: Desk }) {
  const { pages, selected, moveTo } = desk;
  const rows = pages.data.value;
  useKeys([
    ...['j', 'ArrowDown'].map((keys) => ({ keys, label: 'Next row', run: () => moveTo(selected.peek() + 1) })),
    ...['k', 'ArrowUp'].map((keys) => ({ keys, label: 'Previous row', run: () => moveTo(selected.peek() - 1) })),
  ]);
  if (pages.error.value && !rows) return <Problem error={pages.error.value} onRetry={pages.reload} />;
  if (!rows) return <Skeleton lines={10} />;
  const row = rows[selected.value];
  if (!row) {
    const isAll = desk.filter.decision === undefined && desk.filter.confidence === undefined && !desk.filter.q;
    return (
      <Empty icon="check" title={isAll ? 'No rows' : 'No such rows'}>
        {!isAll && 'Choose other filters to see decided rows.'}
      </Empty>
    );
  }
  return (
    <div class="move-desk">
      <RowList desk={desk} />
      <RowDetail desk={desk} row={row} canEdit={mayEdit.value} />
    </div>
  );
}
