import { undoChange } from '../api/changes.ts';
import { undoneText } from '../ui/change-text.ts';
import { type Toast, toast, toastError } from './toasts.ts';

/** Called when a change was undone, and, if the user then undoes that, when it was made again. */
export interface UndoHandlers {
  onUndone: () => void;
  /** default: onUndone */
  onRedone?: () => void;
}

/** The Undo of a toast after a change; undefined if nothing changed. */
export function undoAction(changeId: string | null, handlers: UndoHandlers): Toast['action'] {
  if (changeId === null) return undefined;
  return { label: 'Undo', run: () => void undo(changeId, handlers).catch(reportFailure) };
}

/** Undoes a change, and shows the result as a toast that offers to undo this as well. Rejects if the request fails. */
export async function undo(changeId: string, { onUndone, onRedone = onUndone }: UndoHandlers): Promise<void> {
  const result = await undoChange(changeId);
  onUndone();
  toast(undoneText(result), undoAction(result.change_id, { onUndone: onRedone, onRedone: onUndone }));
}

const reportFailure = (thrown: unknown): void => toastError(thrown, 'Could not undo');
