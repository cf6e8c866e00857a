import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

/** A read-only text with a Copy button. Focus selects all of it. */
export function CopyField({ label, text, onCopied }: { label: string; text: string; onCopied?: () => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const isCopied = useSignal(false);
  async function copy(): Promise<void> {
    input.current?.select();
    // The clipboard API needs HTTPS or localhost; execCommand works without.
    const isDone = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    if (!isDone) document.execCommand('copy');
    isCopied.value = true;
    onCopied?.();
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy-field">
        <input
          ref={input}
          id={id}
          class="input mono"
          readOnly
          autofocus
          value={text}
          onFocus={(event) => event.currentTarget.select()}
          onCopy={onCopied}
        />
        <Button icon={isCopied.value ? 'check' : 'file'} onClick={() => void copy()}>
          {isCopied.value ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </div>
  );
}
