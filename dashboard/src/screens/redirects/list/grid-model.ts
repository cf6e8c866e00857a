/** State and keyboard handling of the list: active row, selection, edited row. */
import { computed, signal } from '@preact/signals';
import type { Redirect } from '../../../api/client/wire.ts';
import { counted } from '../../../format.ts';
import { go } from '../../../router.ts';
import { mayEdit } from '../../../state/session.ts';
import { toast } from '../../../state/toasts.ts';
import { leaveScreen } from '../../../state/unsaved.ts';
import { copyText } from '../../../ui/copy-button.tsx';
import { deleteWithUndo } from '../actions.ts';
import { UNASKED } from '../bulk/confirm-deletion.tsx';
import { isNarrow, openId, openRedirect, pageUrl } from '../open-page.ts';
import type { Press } from './press.ts';
import type { RedirectList } from './redirect-list.ts';
import { lengthOf, placeOf, rowAt } from '../../../ui/list/row-window.ts';
import type { Selection } from './selection.ts';
import type { View } from '../view.ts';
import { readStored, writeStored } from '../../../state/browser.ts';

// The height of the list's rows is a choice of the user, remembered in this browser. Narrow pages have taller rows.
const NARROW_ROW_PX = 68;
const COMFORTABLE_ROW_PX = 44;
const COMPACT_ROW_PX = 36;
const COMPACT = 'compact';
const STORED = 'detour.rows';

export const isCompact = signal(readStored(STORED) === COMPACT);

export function setCompact(next: boolean): void {
  isCompact.value = next;
  writeStored(STORED, next ? COMPACT : undefined);
}

/** In pixels. */
export const rowHeight = computed(() => {
  if (isNarrow.value) return NARROW_ROW_PX;
  return isCompact.value ? COMPACT_ROW_PX : COMFORTABLE_ROW_PX;
});

/** The page follows the active row after this time, so that keys that repeat do not load every redirect. */
const FOLLOW_MS = 150;

interface Shown {
  list: RedirectList;
  view: View;
  selection: Selection;
  /** the scrolling element */
  scroller: () => HTMLElement | null;
}

export type GridModel = ReturnType<ReturnType<typeof createGridModel>>;

/** `prepareEdit` calls back when rows can be edited. */
export function createGridModel(prepareEdit: (show: () => void) => void) {
  /** place of the row with the keyboard focus (see ui/list/row-window.ts) */
  const active = signal(0);
  /** id of the row that is edited inline */
  const editing = signal<number | undefined>(undefined);
  /** the double press that edits the row; undefined: by a key */
  const pressed: { current: Press | undefined } = { current: undefined };
  /** pixels by which the edited row is taller than the others */
  const extraHeight = signal(0);
  /** asks before the selected redirects are deleted */
  const isDeleting = signal(false);
  /** Edits inline in a wide list, otherwise on the page. */
  const edit = (redirect: Redirect, press?: Press): void => {
    pressed.current = press;
    if (!mayEdit.value || isNarrow.value) openRedirect(redirect);
    else prepareEdit(() => void leaveScreen(() => (editing.value = redirect.id)));
  };

  const following = createFollowing();

  return (shown: Shown) => {
    const { list, selection, scroller } = shown;
    const follow = (): void => following(() => rowAt(list.window.value, active.value));
    /** Makes a row the active one, in sight. */
    function show(at: number): void {
      active.value = Math.max(0, Math.min(lengthOf(list.window.value) - 1, at));
      scrollTo(scroller(), active.value);
    }
    function moveTo(at: number): void {
      show(at);
      getSelection()?.removeAllRanges();
      follow();
    }
    /** Moves from a redirect, or from the active row if it is not in the list. */
    function step(id: number, by: number): void {
      const at = placeOf(list.window.value, id);
      moveTo(at < 0 ? active.value : at + by);
    }
    /** Deletes the selected redirects, or asks first. */
    function deleteSelected(): void {
      const chosen = list.rows.value.filter(({ id }) => selection.ids.value.has(id));
      const areLoaded = !selection.isAll.value && chosen.length === selection.ids.value.size;
      if (!areLoaded || chosen.length > UNASKED) {
        isDeleting.value = true;
        return;
      }
      selection.clear();
      void deleteWithUndo(list, chosen);
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      const row = rowAt(list.window.value, active.value);
      if (row && isCopy(event)) return copyRows(shown, row);
      if (event.metaKey || event.altKey) return;
      if (event.target !== event.currentTarget) return moveBetweenButtons(event);
      const deletion = (): void => {
        if (!selection.isEmpty()) deleteSelected();
        else if (row) void deleteWithUndo(list, [row]);
      };
      const run = {
        ...moves(shown, active.value, moveTo),
        ...(row && rowKeys(row, edit)),
        ...(mayEdit.value && { ...selectionKeys(shown, active.value, moveTo), Delete: deletion, Backspace: deletion }),
      }[keyOf(event)];
      if (!run) return;
      event.preventDefault();
      run();
    };
    const keys = { onKeyDown, edit, deleteSelected };
    return { ...shown, ...keys, active, editing, pressed, extraHeight, isDeleting, show, step, follow };
  };
}

/** If the page of a redirect is open, it becomes that of the active row, which `read` returns. */
function createFollowing(): (read: () => Redirect | undefined) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (read) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const row = read();
      if (row && openId.value !== undefined) go(pageUrl(row.website_id, row.id), { replace: true });
    }, FOLLOW_MS);
  };
}

function keyOf(event: KeyboardEvent): string {
  if (event.ctrlKey) return event.key === 'a' ? 'Control+a' : '';
  return event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key;
}

function moves({ list, scroller }: Shown, at: number, moveTo: (at: number) => void): Record<string, () => void> {
  const pageRows = Math.floor((scroller()?.clientHeight ?? 0) / rowHeight.value) - 2;
  return {
    ArrowDown: () => moveTo(at + 1),
    ArrowUp: () => moveTo(at - 1),
    PageDown: () => moveTo(at + pageRows),
    PageUp: () => moveTo(at - pageRows),
    Home: () => (list.above.value > 0 ? list.reload() : moveTo(0)),
    End: () => moveTo(lengthOf(list.window.value) - 1),
  };
}

/** Selected rows can be edited and deleted, so viewers select none. */
function selectionKeys({ list, selection }: Shown, at: number, moveTo: (at: number) => void) {
  const row = rowAt(list.window.value, at);
  const extend = (to: number) => () => {
    if (row && !selection.has(row.id)) selection.toggle(row.id);
    moveTo(to);
    const next = rowAt(list.window.value, to);
    if (next) selection.extendTo(next.id);
  };
  const toggle = (): void => row && selection.toggle(row.id);
  return {
    ' ': toggle,
    x: toggle,
    'Shift+ArrowDown': extend(at + 1),
    'Shift+ArrowUp': extend(at - 1),
    'Control+a': selection.selectLoaded,
    // The page takes it otherwise.
    ...(!selection.isEmpty() && { Escape: selection.clear }),
  };
}

const rowKeys = (row: Redirect, edit: (redirect: Redirect) => void) => ({
  Enter: () => edit(row),
  F2: () => edit(row),
  o: () => openRedirect(row),
  C: () => copyPath(row.new_path, 'Target copied'),
  ArrowRight: () => document.querySelector<HTMLElement>(`#r${row.id} [data-copy]`)?.focus(),
});

/** Ctrl+C on a row; selected text is copied by the browser. */
const isCopy = ({ key, ctrlKey, metaKey, target, currentTarget }: KeyboardEvent): boolean =>
  key === 'c' && (ctrlKey || metaKey) && target === currentTarget && getSelection()?.isCollapsed !== false;

/** Several selected rows as columns for a spreadsheet: source, target and status. Otherwise the source of the row. */
function copyRows({ list, selection }: Shown, row: Redirect): void {
  const rows = list.rows.value.filter(({ id }) => selection.has(id));
  const [{ old_path: source } = row, second] = rows;
  if (!second) return copyPath(source, 'Source copied');
  const lines = rows.map(({ old_path: from, new_path: to, status_code: status }) => [from, to, status].join('\t'));
  const isPart = selection.isAll.value && lines.length < (selection.count() ?? Infinity);
  copyPath(lines.join('\n'), `${counted(lines.length, isPart ? 'loaded redirect' : 'redirect')} copied`);
}

function copyPath(path: string | null, message: string): void {
  if (path === null) return;
  void copyText(path).then((isDone) => isDone && toast(message));
}

/** The buttons of a row that are not in the order of Tab. */
const ROW_BUTTONS = '[data-copy], [data-edit]';

/** Right and left move between the buttons of a row; left of the first one is the list. They are no Tab stops. */
function moveBetweenButtons(event: KeyboardEvent): void {
  const { target, key } = event;
  if (!(target instanceof HTMLElement) || !target.matches(ROW_BUTTONS)) return;
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step === undefined && key !== 'Escape') return;
  const buttons = [...(target.closest('[role=row]')?.querySelectorAll<HTMLElement>(ROW_BUTTONS) ?? [])];
  const next = step === undefined ? -1 : buttons.indexOf(target) + step;
  if (next < 0) target.closest<HTMLElement>('[role=grid]')?.focus();
  else buttons[next]?.focus();
  event.preventDefault();
}

/** Scrolls the row into view, below the sticky header. */
function scrollTo(scroller: HTMLElement | null, at: number): void {
  if (!scroller) return;
  const head = scroller.querySelector<HTMLElement>('.grid-head')?.offsetHeight ?? 0;
  const top = at * rowHeight.value;
  const room = scroller.clientHeight - head - rowHeight.value;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
}
