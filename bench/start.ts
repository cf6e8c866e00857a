/** Starts with all rules: from the snapshot with PostgreSQL stopped, from PostgreSQL, and memory after a start. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from './cleanup.ts';
import { visit } from './client.ts';
import type { Bench } from './context.ts';
import { rss } from './proc.ts';
import { report, reportFailure } from './report.ts';
import { benchRow } from './rows.ts';
import { launch, type Launched, startService } from './service.ts';
import { median } from './statistics.ts';

/** Time after the start at which memory is read. */
const SETTLE_MS = 5_000;
const SNAPSHOT_WITHIN_MS = 60_000;
const ANSWER_WITHIN_MS = 60_000;

export async function measureStarts(bench: Bench): Promise<void> {
  const website = await bench.website();
  const { oldPath: path } = benchRow(bench.rows - 2);
  const untilRedirect = (launched: Launched): Promise<number> => secondsUntilRedirect(launched, website.host, path);

  const empty = await rssOfEmptyService(bench.repeats);
  const service = await bench.service();
  const { sharedEnv } = service;

  // A first start, which also fills the cache of compiled code.
  const dataDir = join(temporaryFolder(), 'data');
  const writer = await launch(dataDir, sharedEnv);
  await writer.ready;
  const snapshot = await snapshotBytes(join(dataDir, 'rulesets'));
  await writer.stop();
  const starts = async (env: Record<string, string>): Promise<number[]> => {
    const seconds: number[] = [];
    for (let repeat = 0; repeat < bench.repeats; repeat++) {
      const launched = await launch(dataDir, { ...sharedEnv, ...env });
      try {
        seconds.push(await untilRedirect(launched));
      } finally {
        await launched.stop();
      }
    }
    return seconds;
  };
  const fromDatabase = await starts({ SNAPSHOTS: 'off' });
  report('startDatabase', median(fromDatabase), { seconds: fromDatabase });

  await bench.stopService();
  try {
    if (snapshot === undefined) throw new Error('not available: no snapshot in DATA_DIR/rulesets after 60 s');
    const fromSnapshot = await starts({});
    report('startSnapshot', median(fromSnapshot), {
      seconds: fromSnapshot,
      'snapshot bytes of a rule': snapshot / bench.rows,
    });
  } catch (error) {
    reportFailure('startSnapshot', error);
  }

  const seconds: number[] = [];
  const full: number[] = [];
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    const embedded = await launch(service.dataDir);
    seconds.push(await untilRedirect(embedded));
    full.push(await settledRss(embedded));
    await embedded.stop();
  }
  report('startEmbedded', median(seconds), { seconds });
  const mb = (values: number[]): number[] => values.map((bytes) => bytes / 1e6);
  const growth = median(full) - median(empty);
  report('ruleRss', growth / bench.rows, { 'empty mb': mb(empty), 'all rules mb': mb(full) });
}

async function settledRss(launched: Launched): Promise<number> {
  await launched.ready;
  await pause(SETTLE_MS);
  return rss(launched.pid);
}

/** From the spawn of the process to the first right response. */
export async function secondsUntilRedirect(
  launched: Launched,
  host: string,
  path: string,
  withinMs = ANSWER_WITHIN_MS,
): Promise<number> {
  for (;;) {
    const answer = await visit(launched.address, host, path).catch(() => undefined);
    const seconds = (performance.now() - launched.spawnedAt) / 1_000;
    if (answer && answer.status < 400 && answer.location !== undefined) return seconds;
    if (launched.hasExited()) await launched.ready; // throws its output
    if (seconds * 1_000 > withinMs) throw new Error(`no redirect within ${withinMs / 1_000} s of the start`);
    await pause(2);
  }
}

/** After a restart, so that the work of the first start is not included. */
async function rssOfEmptyService(repeats: number): Promise<number[]> {
  const dataDir = join(temporaryFolder(), 'data');
  await (await startService(dataDir)).stop();
  const values: number[] = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    const launched = await launch(dataDir);
    values.push(await settledRss(launched));
    await launched.stop();
  }
  return values;
}

/** Returns the size of the folder once it has not changed for a second; undefined if nothing is written. */
export async function snapshotBytes(folder: string): Promise<number | undefined> {
  let last = 0;
  for (let waited = 0; waited < SNAPSHOT_WITHIN_MS; waited += 1_000) {
    await pause(1_000);
    if (!existsSync(folder)) continue;
    const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
    if (bytes > 0 && bytes === last) return bytes;
    last = bytes;
  }
  return undefined;
}
