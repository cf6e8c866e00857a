import { useSignal } from '@preact/signals';
import { toast } from '../state/toasts.ts';
import { IconButton, type ButtonProps } from './button.tsx';
import type { NamedFile } from '../api/client/client.ts';

/**
 * Copies a text. Returns false, after a message, if the browser refuses. The clipboard API needs HTTPS or localhost; the
 * copy event works without.
 */
export async function copyText(text: string): Promise<boolean> {
  const isDone = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isDone || copyByEvent(text)) return true;
  toast('Could not copy. Select the text and copy it with the keyboard.');
  return false;
}

function copyByEvent(text: string): boolean {
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('copy', onCopy, { capture: true, once: true });
  const isDone = document.execCommand('copy');
  document.removeEventListener('copy', onCopy, { capture: true });
  return isDone;
}

const COPIED_MS = 1_600;

/** Copies `text`. `name`: what it is, such as "source". */
export function CopyButton({ text, name, ...attributes }: { text: string; name: string } & Partial<ButtonProps>) {
  const isCopied = useSignal(false);
  return (
    <IconButton
      {...attributes}
      size="small"
      icon={isCopied.value ? 'check' : 'copy'}
      label={isCopied.value ? 'Copied' : `Copy ${name}`}
      data-copy=""
      onClick={(event) => {
        event.stopPropagation();
        void copyText(text).then((isDone) => {
          isCopied.value = isDone;
          setTimeout(() => (isCopied.value = false), COPIED_MS);
        });
      }}
    />
  );
}

/** Saves content as a file of the browser's downloads. */
export function saveFile({ name, content }: NamedFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // Long enough for the browser to start reading.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
