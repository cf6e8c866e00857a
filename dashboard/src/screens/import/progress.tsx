import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { counted, fileSize, number } from '../../format.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import type { FileImport } from './file-import.ts';
import type { ImportProgress as Seen } from './watch-import.ts';

/** Shorter times are not shown. */
const SHOWN_FROM_SECONDS = 3;

/** Progress of the upload, then of reading. Comparing and writing show only the elapsed time. */
export function Progress({ work }: { work: FileImport }) {
  const seen = work.progress.value;
  const isCheck = work.step.value === 'checking';
  const part = seen.phase === 'working' || seen.of === 0 ? undefined : seen.done / seen.of;
  const title = titleOf(seen, isCheck);
  return (
    <div class="card stack import-progress">
      <div class="actions">
        <strong aria-live="polite">{title}</strong>
        <span class="row gap-3 muted">
          {detailOf(seen)}
          <Elapsed since={work.startedAt.value} />
        </span>
      </div>
      <ProgressBar label={title} part={part} />
    </div>
  );
}

function titleOf({ phase, rows }: Seen, isCheck: boolean): string {
  if (phase === 'sending') return 'Uploading file';
  if (phase === 'reading' || rows === undefined) return isCheck ? 'Checking rows' : 'Reading rows';
  return isCheck ? 'Comparing with existing redirects' : 'Writing redirects';
}

function detailOf({ phase, done, of, rows }: Seen): string {
  if (phase === 'sending') return `${fileSize(done)} of ${fileSize(of)}`;
  if (rows === undefined) return '';
  return phase === 'reading'
    ? `${number(Math.floor((done / of) * 100))} %, ${counted(rows, 'row')}`
    : counted(rows, 'row');
}

function Elapsed({ since }: { since: number }) {
  const seconds = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => (seconds.value = Math.floor((performance.now() - since) / 1000)), 500);
    return () => clearInterval(timer);
  }, [since]);
  return seconds.value >= SHOWN_FROM_SECONDS ? <span>{number(seconds.value)} s</span> : null;
}
