/** Writes the disk copies in the background: soon after a change, and a large one rarely, at most 5 % of the time. */
import { rm } from 'node:fs/promises';
import type { FeedRules } from '../feed-client/feed-rules.ts';
import { DRAFT_SUFFIX } from '../platform/block-file.ts';
import { type Clock, stopwatch, within } from '../platform/clock.ts';
import { createLoop } from '../platform/scheduling/loop.ts';
import { copyFile, type CopySource, writeCopy } from './rules-copy.ts';

export interface CopyWriterOptions {
  dir: string;
  clock: Clock;
  /** receives why a copy could not be written; the write is retried */
  onError: (error: unknown) => void;
}

const TICK_MS = 250;
const MIN_INTERVAL_MS = 1_000;
/** A copy that took 1 s to write is written again after 20 s at the earliest. */
const INTERVAL_PER_WRITE = 20;
/** After an error, such as a full disk, so that the log stays short. */
const RETRY_MS = 60_000;
const MAX_TICK_MS = 600_000;
const STOP_MS = 2_000;

export type CopyWriter = ReturnType<typeof createCopyWriter>;

export function createCopyWriter({ dir, clock, onError }: CopyWriterOptions) {
  const pending = new Map<string, { source: CopySource; rules: FeedRules }>();
  /** when a copy may be written again, by stopwatch */
  const notBefore = new Map<string, number>();
  let isStopping = false;

  async function writeDue(): Promise<void> {
    // Each at most once: a copy that fails is pending again.
    for (const file of [...pending.keys()]) {
      const copy = pending.get(file);
      if (!copy || (!isStopping && stopwatch() < (notBefore.get(file) ?? 0))) continue;
      pending.delete(file);
      const startedAt = stopwatch();
      const isWritten = await writeCopy(dir, copy.source, copy.rules, clock.now()).catch((cause: unknown) => {
        onError(new Error(`cannot write ${file}`, { cause }));
        return undefined;
      });
      if (!isWritten && !pending.has(file)) pending.set(file, copy);
      const took = stopwatch() - startedAt;
      const waitMs = isWritten === undefined ? RETRY_MS : Math.max(MIN_INTERVAL_MS, took * INTERVAL_PER_WRITE);
      notBefore.set(file, stopwatch() + waitMs);
    }
  }

  const loop = createLoop({
    name: 'writing disk copies',
    tick: writeDue,
    everyMs: TICK_MS,
    onError,
    maxTickMs: MAX_TICK_MS,
  });
  return {
    // The folder is locked, so no other process is writing this draft.
    /** Removes what a killed process left of a write. Call it before the first change. */
    prepare: (source: CopySource) => rm(copyFile(dir, source) + DRAFT_SUFFIX, { force: true }),
    /** Writes these rules soon, unless newer ones follow. */
    changed: (source: CopySource, rules: FeedRules) => void pending.set(copyFile(dir, source), { source, rules }),
    /** Removes the copy of a website that is no longer followed. */
    async forget(source: CopySource) {
      const file = copyFile(dir, source);
      pending.delete(file);
      notBefore.delete(file);
      await rm(file, { force: true });
    },
    start: () => loop.start(),
    /** Writes what is left. Resolves within two seconds. */
    async stop() {
      isStopping = true;
      await within(STOP_MS, loop.stop().then(writeDue), undefined);
    },
  };
}
