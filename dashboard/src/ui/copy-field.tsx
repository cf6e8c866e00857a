import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

/** A text to be taken along, chosen as a whole when it gets the focus. `onCopied` hears that it was copied. */
export function CopyField({ label, text, onCopied }: { label: string; text: string; onCopied?: () => void }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const isCopied = useSignal(false);
  async function copy(): Promise<void> {
    input.current?.select();
    // Only pages over https and of this machine have a clipboard; the older way works on the others.
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
