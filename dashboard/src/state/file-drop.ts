/** Files that are dropped on a screen. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { toast } from './toasts.ts';

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

/** Calls the handler of the latest render for events of the document. */
export function useListener<Type extends keyof DocumentEventMap>(
  type: Type,
  handler: (event: DocumentEventMap[Type]) => void,
): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const handle = (event: DocumentEventMap[Type]): void => latest.current(event);
    document.addEventListener(type, handle);
    return () => document.removeEventListener(type, handle);
  }, []);
}
