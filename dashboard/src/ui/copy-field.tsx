import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

/** A read-only text with a Copy button. Focus selects all of it. `isFocused`: has the focus when it appears. */
export function CopyField({
  label,
  text,
  isFocused = true,
  onCopied,
}: {
  label: string;
  text: string;
  isFocused?: boolean;
  onCopied?: () => void;
}) {
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
          autofocus={isFocused}
          value={text}
          onFocus={(event) => event.currentTarget.select()}
          onCopy={onCopied}
        />
        <Button icon={isCopied.value ? 'check' : 'file'} onClick={() => void copy()}>
          {isCopied.value ? 'Copied' : 'Copy'}
          {!isFocused && <span class="unseen"> {label}</span>}
        </Button>
      </div>
    </div>
  );
}
