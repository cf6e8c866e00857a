import type { RefObject } from 'preact';

interface FileInputProps {
  /** whose `click` opens the choice of a file */
  input: RefObject<HTMLInputElement | null>;
  label: string;
  accept?: string;
  onFile: (file: File | undefined) => void;
}

/** An unseen input for a file. A button opens it. */
export const FileInput = ({ input, label, accept, onFile }: FileInputProps) => (
  <input
    ref={input}
    class="unseen"
    type="file"
    tabIndex={-1}
    aria-label={label}
    {...(accept !== undefined && { accept })}
    onChange={({ currentTarget }) => {
      onFile(currentTarget.files?.[0]);
      // The same file can be chosen again.
      currentTarget.value = '';
    }}
  />
);
