/** Rows and files that are pasted on the screen. */
import { useListener } from '../../../state/file-drop.ts';

const PASTED = 'Pasted rows';
const MAX_SHOWN = 60;

/** Pasted rows as a file. Its name has their first cell, so that imports of pasted rows can be told apart. */
export function pastedFile(text: string): File {
  const [first = ''] = /\S[^\t\r\n,;|]*/.exec(text) ?? [];
  const cell = first.trim();
  const shown = cell.length > MAX_SHOWN ? `${cell.slice(0, MAX_SHOWN)}…` : cell;
  // The service removes folders from names of files, so a name has no slash.
  return new File([text], `${PASTED}, first ${shown.replace(/[/\\]/g, '∕')}`, { type: 'text/plain' });
}

export const isPasted = ({ name }: File): boolean => name.startsWith(PASTED);

/** Takes a file or rows that are pasted outside fields and dialogs. */
export function usePaste(onFile: (file: File) => void): void {
  useListener('paste', ({ target, clipboardData }) => {
    if (target instanceof Element && target.closest('input, textarea, dialog')) return;
    const [file] = clipboardData?.files ?? [];
    const text = clipboardData?.getData('text/plain') ?? '';
    if (file) onFile(file);
    else if (text.trim() !== '') onFile(pastedFile(text));
  });
}
