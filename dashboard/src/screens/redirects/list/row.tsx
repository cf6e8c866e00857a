import type { Redirect } from '../../../api/client/wire.ts';
import { STATES } from '../../../checks/states.ts';
import { fullTime, number } from '../../../format.ts';
import { setQuery } from '../../../router.ts';
import { mayEdit } from '../../../state/session.ts';
import { IconButton } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { excerptOf, Marked } from '../../../ui/text/marked.tsx';
import { shownPath } from '../../../ui/text/path-parts.ts';
import { lastDays, SparkLine } from '../../../ui/spark-line.tsx';
import { PathText } from '../../../ui/text/path-text.tsx';
import { useNow } from '../../../ui/text/schedule.ts';
import { Time } from '../../../ui/text/time.tsx';
import type { Column } from './columns.ts';
import type { GridModel } from './grid-model.ts';
import { isNarrow, openId } from '../open-page.ts';
import { beginPress, isStray, openPressed, pressOf } from './press.ts';
import { LiveIn, LiveRule, Schedule } from '../live-in.tsx';
import type { View } from '../view.ts';

interface RowProps {
  model: GridModel;
  redirect: Redirect;
  at: number;
  columns: ReadonlySet<Column>;
  style: { transform: string };
}

/** A redirect. A click makes it the active row, one on its path opens it, a double click edits it. */
export function Row({ model, redirect, at, columns, style }: RowProps) {
  const { id } = redirect;
  const isSelected = model.selection.has(id);
  const isActive = model.active.value === at;
  return (
    <div
      role="row"
      id={`r${id}`}
      class="grid-row"
      aria-rowindex={model.list.numberOf(at) + 2}
      aria-selected={isSelected}
      data-active={isActive}
      aria-current={openId.value === String(id) ? 'page' : undefined}
      data-changed={model.list.changed.value.has(id)}
      style={style}
      onMouseDown={(event) => beginPress(redirect, event)}
      onClick={(event) => handleClick(model, redirect, at, event)}
      onDblClick={(event) => handleDoubleClick(model, redirect, event)}
    >
      <span role="gridcell" class="row cell-check">
        {mayEdit.value && (
          <input type="checkbox" tabIndex={-1} checked={isSelected} aria-label={`Select ${redirect.old_path}`} />
        )}
      </span>
      <Paths
        redirect={redirect}
        list={model.list}
        filter={model.view.filter}
        onOpen={(event) => openPressed(redirect, event)}
      />
      <span role="gridcell" class="cell-status">
        {redirect.status_code}
        {mayEdit.value && !isNarrow.value && <EditButton model={model} redirect={redirect} at={at} />}
      </span>
      <span role="gridcell" class="row wrap cell-environments">
        <LiveIn redirect={redirect} hasSchedule={!columns.has('schedule')} />
      </span>
      {columns.has('schedule') && <ScheduleCell redirect={redirect} />}
      {columns.has('group') && (
        <span role="gridcell" class="small cell-group">
          {redirect.group_id !== null && <Group name={redirect.group_id} />}
        </span>
      )}
      {columns.has('target') && <TargetState redirect={redirect} />}
      <Hits redirect={redirect} columns={columns} />
      {columns.has('changed') && (
        <span role="gridcell" class="small muted truncate">
          <Time at={redirect.updated_at} />
        </span>
      )}
    </div>
  );
}

/** Beside the last column, in the focused row and the one under the pointer. */
function EditButton({ model, redirect, at }: Pick<RowProps, 'model' | 'redirect' | 'at'>) {
  return (
    <IconButton
      label="Edit in the row"
      icon="edit"
      size="small"
      tabIndex={-1}
      data-edit=""
      onClick={(event) => {
        event.stopPropagation();
        model.active.value = at;
        model.edit(redirect);
      }}
    />
  );
}

function ScheduleCell({ redirect }: { redirect: Redirect }) {
  return (
    <span role="gridcell" class="small truncate cell-schedule">
      <Schedule redirect={redirect} now={useNow([redirect])} className="" />
    </span>
  );
}

/** Empty until a check has asked the target. */
function TargetState({ redirect: { target_state: state, target_checked_at: at } }: { redirect: Redirect }) {
  if (!state) return <span role="gridcell" class="cell-target" />;
  const { label, tone, help } = STATES[state];
  const checked = at ? `Checked ${fullTime(at)}` : '';
  return (
    <span role="gridcell" class="cell-target">
      <span class={`badge ${tone}`} title={[help, checked].filter(Boolean).join('. ')}>
        {label}
      </span>
    </span>
  );
}

/** A new redirect is returned without hits, and has none. */
function Hits({ redirect, columns }: { redirect: Redirect; columns: ReadonlySet<Column> }) {
  const { hits = 0, daily_hits: days, last_hit_at: lastHitAt } = redirect;
  return (
    <>
      {columns.has('hits') && (
        <span role="gridcell" class={`small truncate cell-hits ${hits === 0 ? 'muted' : ''}`}>
          {days && hits > 0 && <SparkLine days={lastDays(days)} />}
          {number(hits)}
          {isNarrow.value && (hits === 1 ? ' hit' : ' hits')}
        </span>
      )}
      {columns.has('last') && (
        <span role="gridcell" class="small muted truncate cell-last">
          {lastHitAt ? <Time at={lastHitAt} /> : 'Never'}
        </span>
      )}
    </>
  );
}

interface PathsProps {
  list: GridModel['list'];
  redirect: Redirect;
  filter: View['filter'];
  onOpen: (event: MouseEvent) => void;
}

function Paths({ redirect, list, filter: { q, notes }, onOpen }: PathsProps) {
  const { from: ofSources, to: ofTargets } = list.folders.value;
  const { old_path: from, new_path: to, is_regex: isRegex, status_code: status } = redirect;
  return (
    <>
      <span role="gridcell" class="row cell-from">
        {/* Not a button: its text could not be selected. Without focus: keys go to the list. */}
        <span class="mono shrink">
          <span
            role="button"
            class="path"
            aria-label={shownPath(from).text}
            onClick={(event) => isSelecting() || onOpen(event)}
            // Otherwise the middle button scrolls.
            onMouseDown={(event) => event.button === 1 && event.preventDefault()}
            onAuxClick={(event) => event.button === 1 && onOpen(event)}
          >
            <PathText path={from} isPattern={isRegex} search={q} shared={ofSources} drawn={list.drawn.from} />
          </span>
          {notes !== undefined && <FoundNote notes={redirect.notes} search={notes} />}
        </span>
        <CopyButton text={from} name="source" tabIndex={-1} />
        {isRegex && <span class="badge violet">pattern</span>}
      </span>
      <span role="gridcell" class="row muted cell-to">
        <span class="mono shrink">
          {to === null ? (
            WITHOUT_TARGET[status]
          ) : (
            <PathText path={to} search={q} shared={ofTargets} drawn={list.drawn.to} />
          )}
          <LiveRule redirect={redirect} />
        </span>
        {to !== null && <CopyButton text={to} name="target" tabIndex={-1} />}
      </span>
    </>
  );
}

function FoundNote({ notes, search }: { notes: string | null; search: string }) {
  return (
    <span class="second-line truncate" dir="auto">
      <Marked text={excerptOf(notes ?? '', search)} search={search} />
    </span>
  );
}

/** True at the end of a drag over text. */
const isSelecting = (): boolean => getSelection()?.isCollapsed === false;

const WITHOUT_TARGET: Record<number, string> = { 410: 'Gone', 451: 'Unavailable for legal reasons' };

function Group({ name }: { name: string }) {
  return (
    <button
      type="button"
      class="truncate"
      tabIndex={-1}
      title={`Show group ${name}`}
      onClick={() => setQuery({ group: name })}
    >
      {name}
    </button>
  );
}

/** Double clicks on checkboxes and buttons do not edit. */
function handleDoubleClick({ edit }: GridModel, redirect: Redirect, event: MouseEvent): void {
  if (isStray(redirect, event) || (event.target instanceof Element && event.target.closest('.cell-check, button')))
    return;
  edit(redirect, pressOf(event));
}

function handleClick(model: GridModel, redirect: Redirect, at: number, event: MouseEvent): void {
  const { active, follow, selection } = model;
  const { id } = redirect;
  if (isStray(redirect, event)) return;
  active.value = at;
  const isCheck = event.target instanceof Element && event.target.closest('.cell-check') !== null;
  if (!mayEdit.value) follow();
  else if (event.shiftKey) selection.extendTo(id);
  else if (isCheck || event.ctrlKey || event.metaKey) selection.toggle(id);
  else follow();
}
