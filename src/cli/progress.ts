/** Progress on standard error. Prints nothing unless it is a terminal. */
import { Transform } from 'node:stream';
import type { Output } from './terminal.ts';

const REDRAW_MS = 100;
const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\u001b[K';
const SPINNER = ['|', '/', '-', '\\'];

export interface Progress {
  /** shows what runs, and how far it is if both numbers are known */
  show(label: string, done?: number, total?: number): void;
  /** removes the line */
  clear(): void;
}

export function createProgress(output: Output): Progress {
  if (output.isTTY !== true) return { show: () => {}, clear: () => {} };
  const began = performance.now();
  let line = '';
  let ticks = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = (): void => {
    const seconds = Math.floor((performance.now() - began) / 1000);
    const text = `${SPINNER[ticks++ % SPINNER.length]} ${line} ${seconds} s`;
    output.write(CLEAR_LINE + text.slice(0, Math.max((output.columns ?? 80) - 1, 10)));
  };
  return {
    show(label, done, total) {
      line = progressText(label, done, total);
      if (timer) return;
      draw();
      timer = setInterval(draw, REDRAW_MS);
      timer.unref();
    },
    clear() {
      if (!timer) return;
      clearInterval(timer);
      timer = undefined;
      output.write(CLEAR_LINE);
    },
  };
}

/** Runs work that shows its progress, and removes the line at its end. */
export async function withProgress<T>(output: Output, work: (show: Progress['show']) => Promise<T>): Promise<T> {
  const { show, clear } = createProgress(output);
  try {
    return await work(show);
  } finally {
    clear();
  }
}

/** `label [#####-----] 50 % of 2.0 MB`, or `label 1.2 MB` without a total. */
export function progressText(label: string, done?: number, total?: number): string {
  if (done === undefined) return label;
  if (!total) return `${label} ${megabytes(done)}`;
  const share = Math.min(done / total, 1);
  const filled = Math.round(share * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '-'.repeat(BAR_WIDTH - filled);
  return `${label} [${bar}] ${Math.floor(share * 100)} % of ${megabytes(total)}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Passes bytes on and reports how many have passed. */
export function countBytes(report: (bytes: number) => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      report(bytes);
      done(null, chunk);
    },
  });
}
