import { useSignal } from '@preact/signals';
import { IconButton, type ButtonProps } from './button.tsx';

/** Copies a text. The clipboard API needs HTTPS or localhost; the copy event works without. */
export async function copyText(text: string): Promise<void> {
  const isDone = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isDone) return;
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  document.addEventListener('copy', onCopy, { capture: true, once: true });
  document.execCommand('copy');
  document.removeEventListener('copy', onCopy, { capture: true });
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
        void copyText(text);
        isCopied.value = true;
        setTimeout(() => (isCopied.value = false), COPIED_MS);
      }}
    />
  );
}
