import './moves.css';
import { useEffect, useRef } from 'preact/hooks';
import { CONFIDENCES, DECISIONS } from '../../../../src/vocabulary/moves.ts';
import type { Move, Website } from '../../api/client/wire.ts';
import { importMoveRows, moveExport, refreshMove, type RowFilter } from '../../api/moves.ts';
import { capitalized, counted, number } from '../../format.ts';
import { closeQuery, query, setQuery } from '../../router.ts';
import type { Params } from '../../router.ts';
import { mayEdit } from '../../state/session.ts';
import { toast, toastError } from '../../state/toasts.ts';
import { useKeys } from '../../state/keys.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { FileInput } from '../../ui/file-input.tsx';
import { FilterBar } from '../../ui/page/folded.tsx';
import { QuerySelect, SearchField } from '../../ui/form/query-fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { rowAt, rowsBetween } from '../../ui/list/row-window.ts';
import { Page } from '../../ui/page/page.tsx';
import { Empty, Notice, Problem, Skeleton } from '../../ui/page/states.tsx';
import { AllDecided, Applied, openPanel } from './all-decided.tsx';
import { ApplyDialog } from './apply-dialog.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import { type Desk, useDesk, useLastDecisions } from './desk.ts';
import { Progress, SharedTargets } from './progress.tsx';
import { RowDetail } from './row-detail.tsx';
import { RowList } from './row-list.tsx';
import { RulesPanel } from './rules-panel.tsx';

/** Rows that the user decides next. */
const NEAR_ROWS = 20;

const DECISION_OPTIONS = [
  ['none', 'Undecided'],
  ['all', 'All rows'],
  ['redirect', 'Redirects'],
  ['gone', 'Gone'],
  ['keep', 'Staying'],
  ['skip', 'Skipped'],
] as const;

const CONFIDENCE_FILTERS = [
  ['sure', 'sure'],
  ['likely', 'likely'],
  ['guess', 'guesses'],
  ['none', 'without a suggestion'],
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

/** Another move is another desk. */
export const DeskScreen = ({ website, params: { moveId = '' } }: { website: Website; params: Params }) => (
  <MoveDesk key={moveId} website={website} moveId={moveId} />
);

function MoveDesk({ website, moveId }: { website: Website; moveId: string }) {
  const desk = useDesk(website, moveId, filterOf(query.value));
  const { move, error, list, selected } = desk;
  const panel = query.value.get('panel');
  useLastDecisions(desk);
  useEffect(() => {
    // Suggestions that are ready by now. Other reads would only move the list.
    const [window, at] = [list.window.peek(), selected.peek()];
    if (window && rowsBetween(window, at, at + NEAR_ROWS).some(({ row }) => row.pending)) list.reload();
  }, [move?.progress.matched, move?.state]);
  if (!move)
    return (
      <Page title="Move">
        {error.value ? <Problem error={error.value} onRetry={desk.reload} /> : <Skeleton lines={8} />}
      </Page>
    );
  const dialog = { desk, onClose: () => closeQuery('panel') };
  return (
    <Page
      title={move.name}
      isWide
      lead={
        <>
          <a href={`/websites/${website.id}/moves`}>All moves</a>{' '}
          {!mayEdit.value && <span class="badge warn">Read only</span>}
        </>
      }
      actions={mayEdit.value && <Actions desk={desk} move={move} />}
    >
      <div class="row wrap apart desk-bar">
        <Progress move={move} />
        <Filters filter={desk.filter} undecided={move.progress.undecided} />
      </div>
      <Warnings move={move} />
      <Rows desk={desk} move={move} />
      {panel === 'many' && <BulkDialog {...dialog} />}
      {panel === 'rules' && <RulesPanel {...dialog} />}
      {panel === 'apply' && <ApplyDialog {...dialog} />}
    </Page>
  );
}

function Actions({ desk, move }: { desk: Desk; move: Move }) {
  const { website, moveId, queue, changed } = desk;
  const input = useRef<HTMLInputElement>(null);
  const open = (panel: string) => () => openPanel(desk, panel);
  async function importFile(file: File): Promise<void> {
    await queue.flush();
    const { updated, conflict_count: conflicts } = await importMoveRows(website.id, moveId, file);
    changed();
    const unchanged =
      conflicts > 0 ? `${counted(conflicts, 'row')} had been decided by others, and stayed so` : undefined;
    toast(`${counted(updated, 'row')} decided`, undefined, undefined, unchanged);
  }
  async function refresh(): Promise<void> {
    await refreshMove(website.id, moveId);
    changed();
  }
  useKeys([{ keys: 'b', label: 'Decide many rows at once', run: open('many') }]);
  return (
    <>
      <Menu label="More" buttonClass="button icon-only" button={<Icon name="more" />}>
        <LinkButton kind="quiet" icon="file" href={moveExport(website.id, moveId)} download>
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
      <Button
        kind={move.applied_at === null ? 'primary' : 'plain'}
        disabled={move.progress.decided === 0}
        onClick={open('apply')}
      >
        Apply
      </Button>
    </>
  );
}

function Filters({ filter, undecided }: { filter: RowFilter; undecided: Move['progress']['undecided'] }) {
  return (
    <FilterBar
      names={['decision', 'confidence']}
      search={<SearchField q={filter.q ?? ''} placeholder="Search URLs and titles" onDown={focusRows} />}
    >
      <QuerySelect label="Decision" name="decision" value={filter.decision ?? 'all'} options={DECISION_OPTIONS} />
      <div class="actions result-kinds" role="group" aria-label="Suggestion">
        {CONFIDENCE_FILTERS.map(([value, label]) => {
          const isOn = filter.confidence === value;
          return (
            <Button
              key={value}
              size="small"
              aria-pressed={isOn}
              onClick={() => setQuery({ confidence: isOn ? undefined : value })}
            >
              {undecided && filter.decision === 'none' ? `${number(undecided[value])} ${label}` : capitalized(label)}
            </Button>
          );
        })}
      </div>
    </FilterBar>
  );
}

const focusRows = (): void => document.querySelector<HTMLElement>('.move-rows')?.focus();

function Warnings({ move }: { move: Move }) {
  const { warnings, error, met, left_out: leftOut } = move;
  return (
    <>
      <Applied move={move} />
      {error !== null && <Notice>The suggestions failed: {error}</Notice>}
      <SharedTargets of={warnings} />
      {leftOut > 0 && (
        <p class="small muted">{counted(leftOut, 'page')} of the new list cannot be targets of this website.</p>
      )}
      {met && (
        <p class="small muted">
          Since it was applied, people have met {counted(met.by_people, 'old URL')} and search engines{' '}
          {counted(met.by_search_engines, 'old URL')}, of {counted(met.urls, 'URL')}.
          {met.by_patterns > 0 &&
            ` Rules answer ${number(met.by_patterns)} of them, ${number(met.by_hit_patterns)} by rules with requests.`}
        </p>
      )}
    </>
  );
}

function Rows({ desk, move }: { desk: Desk; move: Move }) {
  const { list, selected, moveTo, toEnd } = desk;
  const window = list.window.value;
  useKeys([
    ...['j', 'ArrowDown'].map((keys) => ({ keys, label: 'Next row', run: () => moveTo(selected.peek() + 1) })),
    ...['k', 'ArrowUp'].map((keys) => ({ keys, label: 'Previous row', run: () => moveTo(selected.peek() - 1) })),
    { keys: 'Home', label: 'First row', run: () => moveTo(0) },
    { keys: 'End', label: 'Last row', run: toEnd },
  ]);
  const problem = list.error.value && <Problem error={list.error.value} onRetry={list.retry} />;
  if (!window) return problem ?? <Skeleton lines={10} />;
  const row = rowAt(window, selected.value);
  if (!row) {
    const { decided, rows } = move.progress;
    if (desk.filter.decision === 'none' && rows > 0 && decided === rows)
      return <AllDecided desk={desk} isApplied={move.applied_at !== null} />;
    const isAll = desk.filter.decision === undefined && desk.filter.confidence === undefined && !desk.filter.q;
    return (
      <Empty icon="check" title={isAll ? 'No rows' : 'No such rows'}>
        {!isAll && 'Choose other filters to see decided rows.'}
      </Empty>
    );
  }
  return (
    <>
      {problem}
      <div class="move-desk">
        <RowList desk={desk} />
        <RowDetail desk={desk} row={row} canEdit={mayEdit.value} />
      </div>
    </>
  );
}
