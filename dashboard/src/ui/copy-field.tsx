import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';
import { copyText } from './copy-button.tsx';

/** A read-only text with a Copy button. Focus selects all of it. `isFocused`: has the focus when it appears. */
export function CopyField({
  label,
  text,
  rows,
  isFocused = true,
  onCopied,
  children,
}: {
  label: string;
  text: string;
  /** for a text of several lines */
  rows?: number | undefined;
  isFocused?: boolean;
  onCopied?: () => void;
  /** further buttons */
  children?: ComponentChildren;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const isCopied = useSignal(false);
  /** From the end to the start, so that the start of a long text is visible. */
  function selectAll(): void {
    field.current?.setSelectionRange(0, text.length, 'backward');
    if (field.current) field.current.scrollLeft = 0;
  }
  async function copy(): Promise<void> {
    selectAll();
    if (!(await copyText(text))) return;
    isCopied.value = true;
    onCopied?.();
  }
  const attributes = {
    ref: field,
    id,
    class: 'input mono',
    readOnly: true,
    autofocus: isFocused,
    value: text,
    onFocus: selectAll,
    onCopy: onCopied,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="row top">
        {rows === undefined ? <input {...attributes} /> : <textarea {...attributes} rows={rows} />}
        <div class="stack copy-buttons">
          <Button icon={isCopied.value ? 'check' : 'file'} onClick={() => void copy()}>
            {isCopied.value ? 'Copied' : 'Copy'}
            {!isFocused && <span class="unseen"> {label}</span>}
          </Button>
          {children}
        </div>
      </div>
    </div>
  );
}
