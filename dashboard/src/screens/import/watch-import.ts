import { fetchImport } from '../../api/imports.ts';

/** Sending: bytes of the file. Reading: bytes of it that the service has read, `rows` so far. Working: how far is not known. */
export interface Progress {
  phase: 'sending' | 'reading' | 'working';
  done: number;
  of: number;
  rows?: number;
}

const EVERY_MS = 700;

/** Tells how far an import has come until `signal`; what cannot be asked just now is asked again. `size`: bytes of the file. */
export async function watchImport(
  id: string,
  size: number,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  for (;;) {
    await pause(EVERY_MS, signal);
    if (signal.aborted) return;
    try {
      const { received, bytes } = (await fetchImport(id, signal)).import.progress;
      if (signal.aborted) return;
      if (bytes > 0) {
        const phase = bytes < size ? 'reading' : 'working';
        onProgress({ phase, done: bytes, of: size, rows: received });
      }
    } catch {
      // It has not begun yet, or is not to be reached: the import itself will tell.
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
