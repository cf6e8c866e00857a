import { undoChange } from '../api/changes.ts';
import type { Undone } from '../api/client/wire.ts';
import { counted, countsText, number } from '../format.ts';
import { type Toast, toast, toastError, undoing } from '../state/toasts.ts';

/** Called when a change was undone, and, if the user then undoes that, when it was made again. */
export interface UndoHandlers {
  onUndone: () => void;
  /** default: onUndone */
  onRedone?: () => void;
}

/** The Undo of a toast after one or several changes, or the Redo after an Undo; undefined if nothing changed. */
export function undoAction(
  changes: string | null | readonly string[],
  handlers: UndoHandlers,
  label: UndoLabel = 'Undo',
): Toast['action'] {
  const ids = [changes ?? []].flat();
  if (ids.length === 0) return undefined;
  return { label, run: () => void undo(ids, handlers, label).catch(reportFailure) };
}

type UndoLabel = 'Undo' | 'Redo';

/**
 * Undoes changes, the last one first, and shows the result as a toast that offers the opposite. Rejects if a request
 * fails.
 */
export async function undo(
  changes: readonly string[],
  { onUndone, onRedone = onUndone }: UndoHandlers,
  label: UndoLabel = 'Undo',
): Promise<void> {
  const results: Undone[] = [];
  try {
    for (const id of changes.toReversed()) results.push(await undoing(undoChange(id)));
  } finally {
    if (results.length > 0) onUndone();
  }
  const result = together(results);
  const isUndo = label === 'Undo';
  const undone = results.flatMap(({ change_id: id }) => id ?? []);
  toast(
    undoneText(result, isUndo ? 'Undone' : 'Redone'),
    undoAction(undone, { onUndone: onRedone, onRedone: onUndone }, isUndo ? 'Redo' : 'Undo'),
    undefined,
    conflictsText(result),
    result.undo.conflicts > 0,
  );
}

/** The result of undoing a change. Redirects that were recreated count as restored. */
export function undoneText(
  { undo: { restored, recreated, deleted, conflicts } }: Pick<Undone, 'undo'>,
  verb: 'Undone' | 'Redone' = 'Undone',
): string {
  const done = countsText({ restored: restored + recreated, deleted });
  const kept = conflicts === 0 ? '' : `${counted(conflicts, 'redirect')} left unchanged`;
  if (done === '') return kept === '' ? 'Nothing to undo' : `Nothing undone: ${kept}`;
  return `${verb}: ${[done, kept].filter(Boolean).join('; ')}`;
}

/** The results of several undos as one. */
export function together(results: readonly Undone[]): Pick<Undone, 'undo' | 'conflicts'> {
  const sum = (name: keyof Undone['undo']): number =>
    results.reduce((total, { undo: counts }) => total + counts[name], 0);
  return {
    undo: {
      restored: sum('restored'),
      recreated: sum('recreated'),
      deleted: sum('deleted'),
      conflicts: sum('conflicts'),
    },
    conflicts: results.flatMap(({ conflicts }) => conflicts),
  };
}

const MAX_NAMED = 3;

/** `/a: changed since; /b: ...; and 5 more`; undefined without conflicts. */
export function conflictsText({
  undo: { conflicts: count },
  conflicts,
}: Pick<Undone, 'undo' | 'conflicts'>): string | undefined {
  if (count === 0) return undefined;
  const named = conflicts.slice(0, MAX_NAMED).map(({ old_path: path, code }) => `${path}: ${REASONS[code]}`);
  const more = count - named.length;
  return [...named, ...(more > 0 ? [`and ${number(more)} more`] : [])].join('; ');
}

const reportFailure = (thrown: unknown): void => toastError(thrown, 'Could not undo');

/** Why a redirect stays as it is. */
export const REASONS: Record<Undone['conflicts'][number]['code'], string> = {
  CHANGED_SINCE: 'changed since',
  CONFLICT: 'another redirect has its path now',
  TARGET_HOST_NOT_ALLOWED: 'the host of its former target is no longer allowed',
  TOO_MANY_PATTERNS: 'the website has too many patterns',
};
