import './edit-row.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren, InputHTMLAttributes, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ENVIRONMENTS } from '../../../../../src/vocabulary/environment.ts';
import { STATUS_CODES, statusHasTarget } from '../../../../../src/vocabulary/status-code.ts';
import type { Redirect } from '../../../api/client/wire.ts';
import { capitalized } from '../../../format.ts';
import { go } from '../../../router.ts';
import { holdKeys } from '../../../state/hold-keys.ts';
import { useGroups } from '../../../state/resource/use-groups.ts';
import { useSubmit } from '../../../state/resource/use-submit.ts';
import { useUnsaved } from '../../../state/unsaved.ts';
import { currentWebsite } from '../../../state/websites.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { FieldError, Select } from '../../../ui/form/field.tsx';
import { GroupOptions } from '../../../ui/form/group-field.tsx';
import { ENVIRONMENT_LABEL } from '../../../ui/text/environment.tsx';
import { scheduleOf, useNow } from '../../../ui/text/schedule.ts';
import { createOne } from '../actions.ts';
import { type Draft, draftOf, fieldsOf } from './draft.ts';
import type { Column } from '../list/columns.ts';
import { type GridModel, rowHeight } from '../list/grid-model.ts';
import type { Press } from '../list/press.ts';
import { pathField, ReadsAs } from './path-fields.tsx';
import { RowMessage } from './save-error.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { type DraftState, useDraft } from './use-draft.ts';
import { environmentsOf } from '../view.ts';

interface EditRowProps {
  model: GridModel;
  redirect: Redirect;
  at: number;
  /** those beside "Live in" */
  columns: ReadonlySet<Column>;
  style: { transform: string };
}

/** Focuses the field of the pressed cell with the caret at the pointer, otherwise the first field. */
function focusField(row: HTMLElement | null, press: Press | undefined): void {
  const pressed = press && row?.querySelector<HTMLElement>(`.${press.cell} :is(input, select):enabled`);
  const field = pressed ?? row?.querySelector('input');
  field?.focus();
  if (!(field instanceof HTMLInputElement)) return;
  if (!pressed) field.select();
  else if (press.caret !== undefined) field.setSelectionRange(press.caret, press.caret);
}

/** A redirect edited inline: Enter saves, Escape cancels. */
export function EditRow({ model, redirect, at, columns, style }: EditRowProps) {
  const state = useDraft(draftOf(redirect), { websiteId: redirect.website_id, redirect });
  const { draft } = state;
  const row = useRef<HTMLDivElement>(null);
  // In the same task as it renders: the next key of a fast typist goes to the field.
  useLayoutEffect(() => focusField(row.current, model.pressed.current), []);
  useExtraHeight(model, row);

  function close(): void {
    model.editing.value = undefined;
    row.current?.closest<HTMLElement>('[role=grid]')?.focus();
  }
  const { isBusy, submit, createAgain } = useRowSave(model, redirect, state, close);
  const leave = useUnsaved(() => state.isChanged() && !isBusy.value);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') leave(close);
    else if (event.key === 'Enter' && !hasOwnEnter(event.target)) submit(event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  /** Links in messages leave the row. */
  function follow(event: MouseEvent): void {
    if (!(event.target instanceof HTMLAnchorElement)) return;
    const { pathname, search } = event.target;
    event.preventDefault();
    leave(() => {
      close();
      go(pathname + search);
    });
  }
  const groupAt = columns.has('schedule') ? 7 : 6;
  return (
    <div
      ref={row}
      role="row"
      id={`r${redirect.id}`}
      class="grid-row editing"
      data-tight={columns.size === 0}
      aria-rowindex={model.list.numberOf(at) + 2}
      style={style}
      onKeyDown={onKeyDown}
      onClick={follow}
    >
      <Cells draft={draft} fieldErrors={state.fieldErrors} onChange={state.onChange} />
      {columns.has('group') && columns.size > groupAt - 5 && <GroupCell state={state} at={groupAt} />}
      <span role="gridcell" class="row gap-0 row-actions">
        <IconButton label="Save" icon="check" size="small" disabled={isBusy.value} onClick={submit} />
        <IconButton label="Cancel" icon="close" size="small" onClick={() => leave(close)} />
      </span>
      <MoreCells state={state} press={model.pressed.current} />
      <RowMessage state={state} onSave={submit} onCreate={createAgain} />
    </div>
  );
}

/** Saves the row, or creates its redirect again after its deletion by someone else, and closes it. */
function useRowSave(model: GridModel, redirect: Redirect, state: DraftState, close: () => void) {
  const isCreatedAgain = useRef(false);
  async function save(): Promise<void> {
    if (!isCreatedAgain.current) return state.update(model.list);
    await createOne(model.list, { ...fieldsOf(state.draft), website_id: redirect.website_id });
    model.list.remove(new Set([redirect.id]));
  }
  const { isBusy, submit } = useSubmit(
    () =>
      holdKeys(async () => {
        await save();
        close();
        return true;
      }),
    { error: state.error },
  );
  function createAgain(event: Event): void {
    isCreatedAgain.current = true;
    submit(event);
  }
  return { isBusy, submit, createAgain };
}

/** Enter activates these elements instead of saving. */
function hasOwnEnter(target: EventTarget | null): boolean {
  return target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
}

/** Reports by how much the row is taller than the others, so that it covers none of them. */
function useExtraHeight({ extraHeight }: GridModel, row: RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const element = row.current;
    if (!element) return;
    const measure = (): void => void (extraHeight.value = Math.max(0, element.offsetHeight - rowHeight.peek()));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      observer.disconnect();
      extraHeight.value = 0;
    };
  }, []);
}

function Cells({ draft, fieldErrors, onChange }: Pick<DraftState, 'draft' | 'fieldErrors' | 'onChange'>) {
  const hasTarget = statusHasTarget(draft.status_code);
  const [from, to] = [pathField({ draft, onChange }, 'old_path'), pathField({ draft, onChange }, 'new_path')];
  return (
    <>
      <TextCell
        cell="cell-from"
        aria-label="From"
        name="old_path"
        value={from.value}
        onInput={(event) => from.onText(event.currentTarget.value)}
        error={fieldErrors.old_path}
      >
        <ReadsAs path={draft.old_path} />
      </TextCell>
      <TextCell
        cell="cell-to"
        aria-label="To"
        name="new_path"
        disabled={!hasTarget}
        value={hasTarget ? to.value : ''}
        placeholder={hasTarget ? '' : 'No target'}
        onInput={(event) => to.onText(event.currentTarget.value)}
        error={fieldErrors.new_path}
      >
        {hasTarget && <ReadsAs path={draft.new_path} />}
      </TextCell>
      <span role="gridcell" class="cell-status">
        <Select
          aria-label="Status"
          value={draft.status_code}
          options={STATUS_CODES.map((code) => [code as number, String(code)] as const)}
          onChoose={(status_code) => onChange({ status_code })}
        />
      </span>
      <span role="gridcell" class="row cell-environments">
        {ENVIRONMENTS.map((environment) => (
          <label key={environment} class="row gap-1 small" title={ENVIRONMENT_LABEL[environment]}>
            <input
              type="checkbox"
              aria-label={ENVIRONMENT_LABEL[environment]}
              checked={environmentsOf(draft).includes(environment)}
              onChange={() => onChange({ target_environments: toggleEnvironment(draft, environment) })}
            />
            {ENVIRONMENT_LABEL[environment].slice(0, 1)}
          </label>
        ))}
      </span>
    </>
  );
}

/** The second line: the schedule as text, a press on which opens its fields, and the notes. */
function MoreCells({ state, press }: { state: DraftState; press: Press | undefined }) {
  const { draft, fieldErrors: errors, onChange } = state;
  const isOpen = useSignal(press?.cell === 'cell-schedule');
  const { title } = scheduleOf(draft, useNow([draft]));
  return (
    <span role="gridcell" class="row wrap cell-schedule">
      <Button size="small" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        {capitalized(title || 'active at any time')}
      </Button>
      <textarea
        class="input"
        aria-label="Notes"
        placeholder="Notes"
        rows={1}
        value={draft.notes}
        onInput={(event) => onChange({ notes: event.currentTarget.value })}
      />
      <FieldError error={errors.notes} />
      {(isOpen.value || errors.active_from || errors.active_until) && <ScheduleFields state={state} />}
    </span>
  );
}

/** Without another column behind it, the buttons of the row would lie on it. */
function GroupCell({ state: { draft, fieldErrors, onChange }, at }: { state: DraftState; at: number }) {
  const { groups } = useGroups(currentWebsite.value?.id, draft.group_id, true);
  return (
    <TextCell
      cell={at === 6 ? 'cell-group beside' : 'cell-group'}
      dir="auto"
      column={at}
      aria-label="Group"
      list="row-groups"
      value={draft.group_id}
      onInput={(event) => onChange({ group_id: event.currentTarget.value })}
      error={fieldErrors.group_id}
    >
      <GroupOptions id="row-groups" groups={groups} />
    </TextCell>
  );
}

type TextCellProps = InputHTMLAttributes & {
  cell: string;
  /** of the grid, unless the style sheet has it */
  column?: number;
  error: ComponentChildren;
  value: string;
  children?: ComponentChildren;
};

function TextCell({ cell, column, error, children, ...input }: TextCellProps) {
  return (
    <span role="gridcell" class={`stack gap-1 ${cell}`} style={{ gridColumn: column }}>
      <input
        dir="ltr"
        {...input}
        class="input mono"
        aria-invalid={error === undefined ? undefined : 'true'}
        spellcheck={false}
      />
      {error !== undefined && (
        <span class="wrong" role="alert">
          {error}
        </span>
      )}
      {children}
    </span>
  );
}

/** Adds or removes one environment; keeps the standard order. */
export function toggleEnvironment(
  draft: Pick<Draft, 'target_environments'>,
  toggled: (typeof ENVIRONMENTS)[number],
): string {
  const chosen = environmentsOf(draft);
  return ENVIRONMENTS.filter((each) => chosen.includes(each) !== (each === toggled)).join(',');
}
