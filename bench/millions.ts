/** `npm run bench -- millions [n]`: n websites of 1,000,000 rules in one process: imports, memory, an edit, starts. */
import { createWriteStream, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { temporaryFolder } from './cleanup.ts';
import { visit } from './client.ts';
import { type Bench, type BenchWebsite, createBench, createWebsite, postBulk, until, untilServed } from './context.ts';
import { rss } from './proc.ts';
import { commit, machine } from './report.ts';
import { benchRow } from './rows.ts';
import { type Launched, launch } from './service.ts';
import { secondsUntilRedirect, snapshotBytes } from './start.ts';
import { median, seconds } from './statistics.ts';

const ROWS = 1_000_000;
const EDITS = 20;
/** PostgreSQL sends a million rules in about 5 s. */
const START_WITHIN_MS = 300_000;

interface Million {
  /** until the response, and until the last rule is served */
  importSeconds: number;
  servedSeconds: number;
  rssMb: number;
}

/** Prints a row for each million. A run with at least ten replaces bench/results/millions.json. */
export async function benchMillions(count = 10): Promise<void> {
  const bench = createBench(ROWS, 1);
  const millions: Million[] = [];
  let website: BenchWebsite = { id: 0, host: '' };
  const before = loadavg()[0] ?? 0;
  for (let million = 0; million < count; million++) {
    website = await createWebsite(await bench.service(), `million-${million}`, true);
    const measured = await importMillion(bench, website, million);
    millions.push(measured);
    console.log(`million ${million + 1}`, measured);
  }
  const importSeconds = millions.map((each) => each.importSeconds);
  const results = {
    date: new Date().toISOString(),
    commit: commit(),
    machine: machine(),
    load_average: [before, loadavg()[0] ?? 0],
    millions,
    'last import / first': (importSeconds.at(-1) ?? 0) / (importSeconds[0] ?? 0),
    'edit served, median ms': await editMs(bench, website, count - 1),
    ...(await starts(bench, website, count - 1)),
  };
  console.log(results);
  if (count >= 10)
    writeFileSync(join(import.meta.dirname, 'results/millions.json'), `${JSON.stringify(results, null, 2)}\n`);
}

/** Every website has other rules. */
async function importMillion(bench: Bench, website: BenchWebsite, million: number): Promise<Million> {
  const file = join(temporaryFolder(), 'rows.ndjson');
  await pipeline(Readable.from(lines(million)), createWriteStream(file));
  const service = await bench.service();
  const start = performance.now();
  const importSeconds = await seconds(() => postBulk(service, website, file));
  await untilServed(service, website.host, benchRow((million + 1) * ROWS - 1).oldPath);
  return { importSeconds, servedSeconds: (performance.now() - start) / 1_000, rssMb: rss(service.pid) / 1e6 };
}

function* lines(million: number): Generator<string> {
  for (let from = million * ROWS; from < (million + 1) * ROWS; from += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, at) => benchRow(from + at));
    yield (
      rows
        .map(({ oldPath, newPath, status }) =>
          JSON.stringify({ old_path: oldPath, new_path: newPath, status_code: status }),
        )
        .join('\n') + '\n'
    );
  }
}

/** From the call to the first response with the new target. */
async function editMs(bench: Bench, { id, host }: BenchWebsite, million: number): Promise<number> {
  const service = await bench.service();
  const path = benchRow(million * ROWS + 7).oldPath;
  const query = `website_id=${id}&limit=1&q=${encodeURIComponent(path)}`;
  const { redirects } = await service.call<{ redirects: { id: number }[] }>('GET', `/api/redirects?${query}`);
  const taken: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    const target = `/edited/${edit}`;
    const isServed = async (): Promise<boolean> => (await visit(service.address, host, path)).location === target;
    taken.push(
      1_000 *
        (await seconds(async () => {
          await service.call('PUT', `/api/redirects/${redirects[0]?.id}`, JSON.stringify({ new_path: target }));
          await until(`the edit ${edit}`, isServed, 0);
        })),
    );
  }
  return median(taken);
}

/** Seconds from the spawn to the first redirect of the last website, and memory after it. */
async function starts(bench: Bench, { host }: BenchWebsite, million: number): Promise<Record<string, number>> {
  const { sharedEnv } = await bench.service();
  const path = benchRow(million * ROWS + 9).oldPath;
  const dataDir = join(temporaryFolder(), 'data');
  const start = async (env: Record<string, string>, after: (launched: Launched) => Promise<number>) => {
    const launched = await launch(dataDir, { ...sharedEnv, ...env });
    try {
      return [await secondsUntilRedirect(launched, host, path, START_WITHIN_MS), await after(launched)] as const;
    } finally {
      await launched.stop();
    }
  };
  const memory = async (launched: Launched): Promise<number> => {
    await launched.ready;
    return rss(launched.pid) / 1e6;
  };
  const [database, snapshot] = await start({}, async () => (await snapshotBytes(join(dataDir, 'rulesets'))) ?? 0);
  const [fromSnapshot, rssMb] = await start({}, memory);
  return {
    'start from PostgreSQL, s': database,
    'start from the snapshot, s': fromSnapshot,
    'snapshot, MB': snapshot / 1e6,
    'RSS after a start from the snapshot, MB': rssMb,
  };
}
