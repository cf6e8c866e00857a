/**
 * Writes the websites and live rules in memory to DATA_DIR/rulesets, in the background. A file is written at most every
 * 10 s, and a large one rarely: at most 1 % of the time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { stopwatch } from '../../../platform/clock.ts';
import { createLoop } from '../../../platform/scheduling/loop.ts';
import { rulesFile, SITES_FILE } from './snapshot-files.ts';
import { createSnapshotFolder, type SnapshotFolderOptions } from './snapshot-folder.ts';

const TICK_MS = 1_000;
const MIN_INTERVAL_MS = 10_000;
/** after an error, such as a full disk, so that the log stays short */
const RETRY_MS = 60_000;
/** A file that took 1 s to write is written again after 100 s at the earliest. */
const INTERVAL_PER_WRITE = 100;
const STOP_MS = 1_000;
/** Several large files on a slow disk. */
const MAX_TICK_MS = 600_000;
/** Rulesets up to this size are written when the process stops. */
const MAX_LAST_BYTES = 4_000_000;

interface PendingFile {
  /** False if it must be written later, for example because another process is writing it. */
  write(): Promise<boolean>;
  bytes(): number;
}

/** Creates a writer, which notices changes from now on. */
export function createSnapshotWriter(options: SnapshotFolderOptions & { onError: (error: unknown) => void }) {
  const { registry, onError } = options;
  const folder = createSnapshotFolder(options);
  const pending = new Map<string, PendingFile>();
  /** when a file may be written again, by stopwatch */
  const notBefore = new Map<string, number>();
  let stopAt = Infinity;

  const sites: PendingFile = { write: () => folder.writeSites(), bytes: () => 0 };
  pending.set(SITES_FILE, sites);
  registry.observe((websiteId, environment) => {
    // The first live version of an environment changes the file of the websites too.
    pending.set(SITES_FILE, sites);
    if (environment) {
      pending.set(rulesFile(websiteId, environment), {
        write: () => folder.writeRules(websiteId, environment),
        bytes: () => registry.rules(websiteId, environment).ruleset.bytes,
      });
    }
  });

  const isDue = (name: string, file: PendingFile): boolean =>
    stopAt === Infinity ? stopwatch() >= (notBefore.get(name) ?? 0) : file.bytes() <= MAX_LAST_BYTES;

  async function writeDue(): Promise<void> {
    // Rules first, because the file of the websites says which of them exist.
    const due = [...pending].filter(([name, file]) => isDue(name, file)).sort(([a]) => (a === SITES_FILE ? 1 : -1));
    for (const [name, file] of due) {
      if (stopwatch() > stopAt) return;
      pending.delete(name);
      const startedAt = stopwatch();
      const isWritten = await file.write().catch(onError);
      if (!isWritten && !pending.has(name)) pending.set(name, file);
      const now = stopwatch();
      const minMs = isWritten === undefined ? RETRY_MS : MIN_INTERVAL_MS;
      notBefore.set(name, now + Math.max(minMs, (now - startedAt) * INTERVAL_PER_WRITE));
    }
    for (const [name, time] of notBefore) if (time < stopwatch()) notBefore.delete(name);
  }

  const loop = createLoop({
    name: 'writing snapshots',
    tick: writeDue,
    everyMs: TICK_MS,
    onError,
    maxTickMs: MAX_TICK_MS,
  });
  return {
    /** Starts to write what changed since the writer was created. Call it when the registry is complete. */
    start: () => loop.start(),
    /** Writes what is quick to write. Resolves within two seconds. */
    async stop() {
      stopAt = stopwatch() + STOP_MS;
      const work = loop.stop().then(writeDue);
      // A file in progress may take longer, or the database may not respond.
      await Promise.race([work, pause(2 * STOP_MS, undefined, { ref: false })]);
    },
  };
}
