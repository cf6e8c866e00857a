import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';

export function DropZone({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useSignal(false);
  const choose = (files: FileList | null | undefined): void => {
    const [file] = files ?? [];
    if (file) onFile(file);
  };
  return (
    <div
      class="drop-zone"
      data-over={isOver.value}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        choose(event.dataTransfer?.files);
      }}
    >
      <Icon name="file" size={32} />
      <h2>Drop a CSV file here</h2>
      <p class="muted">
        Columns can have any name and order. Separators: comma, semicolon, tab or pipe. Encodings: UTF-8 or UTF-16. The
        file is checked before anything changes.
      </p>
      <Button kind="primary" onClick={() => input.current?.click()}>
        Choose file
      </Button>
      <input
        ref={input}
        class="unseen"
        type="file"
        tabIndex={-1}
        aria-label="CSV file"
        accept=".csv,.tsv,.txt,text/csv"
        onChange={(event) => choose(event.currentTarget.files)}
      />
    </div>
  );
}
