/** Files that are dropped on the screen, and pasted rows as one. */
import { type Signal, useSignal } from '@preact/signals';
import { useListener } from '../../../state/browser.ts';
import { toast } from '../../../state/toasts.ts';

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

/**
 * Takes a file that is dropped anywhere on the screen, which the browser would open otherwise. Returns whether a file is
 * above the screen.
 */
export function useFileDrop(onFile: (file: File) => void): Signal<boolean> {
  const isOver = useSignal(false);
  useListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    isOver.value = true;
  });
  useListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) isOver.value = false;
  });
  useListener('drop', (event) => {
    isOver.value = false;
    const [file, ...others] = event.dataTransfer?.files ?? [];
    if (!file) return;
    event.preventDefault();
    if (others.length > 0) toast(`Only ${file.name} is checked`, undefined, undefined, 'Import one file at a time.');
    onFile(file);
  });
  return isOver;
}
