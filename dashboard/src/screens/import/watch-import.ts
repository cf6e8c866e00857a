import { fetchProgress } from '../../api/imports.ts';

/** `done` of `of` bytes are sent or read, with `rows` so far. While `working`, the progress is unknown. */
export interface ImportProgress {
  phase: 'sending' | 'reading' | 'working';
  done: number;
  of: number;
  rows?: number;
}

const POLL_MS = 700;

/** Polls the progress of an import until `signal` aborts. Ignores errors. `size`: bytes of the file. */
export async function watchImport(
  { id, website_id }: { id: string; website_id: number },
  size: number,
  signal: AbortSignal,
  onProgress: (progress: ImportProgress) => void,
): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (signal.aborted) return;
    try {
      const { received = 0, bytes = 0 } = (await fetchProgress(website_id, id, signal)) ?? {};
      if (signal.aborted) return;
      if (bytes > 0) {
        const phase = bytes < size ? 'reading' : 'working';
        onProgress({ phase, done: bytes, of: size, rows: received });
      }
    } catch {
      // Unavailable: the import request reports failures.
    }
  }
}
