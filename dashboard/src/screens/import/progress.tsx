import type { FileImport } from './file-import.ts';

/** How much has been sent; after that the service works, and says nothing until it is done. */
export function Progress({ work }: { work: FileImport }) {
  const part = work.sent.value;
  const isSent = part >= 1;
  const doing =
    work.step.value === 'checking' ? 'Checking every row' : 'Importing: all rows become visible together';
  const text = isSent ? doing : `Sending the file: ${Math.round(part * 100)} %`;
  return (
    <div class="import-progress">
      <span aria-live="polite">{text}…</span>
      <div
        class={isSent ? 'progress unknown' : 'progress'}
        role="progressbar"
        aria-label={text}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={isSent ? undefined : Math.round(part * 100)}
      >
        <div style={isSent ? {} : { width: `${part * 100}%` }} />
      </div>
    </div>
  );
}
