/** Files that are dropped or pasted on the screen. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
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
  const take = useRef(onFile);
  take.current = onFile;
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent): void => {
      isOver.value = false;
      const [file, ...others] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      if (others.length > 0) toast(`Only ${file.name} is checked`, undefined, undefined, 'Import one file at a time.');
      take.current(file);
    };
    document.addEventListener('dragover', over, { signal });
    document.addEventListener('dragleave', leave, { signal });
    document.addEventListener('drop', drop, { signal });
    return () => controller.abort();
  }, []);
  return isOver;
}

/** Takes a file or rows that are pasted outside fields and dialogs. */
export function usePaste(onFile: (file: File) => void): void {
  const take = useRef(onFile);
  take.current = onFile;
  useEffect(() => {
    const paste = ({ target, clipboardData }: ClipboardEvent): void => {
      if (target instanceof Element && target.closest('input, textarea, dialog')) return;
      const [file] = clipboardData?.files ?? [];
      const text = clipboardData?.getData('text/plain') ?? '';
      if (file) take.current(file);
      else if (text.trim() !== '') take.current(pastedFile(text));
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);
}
