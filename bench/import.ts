/** Import of new, unchanged and changed redirects, and the time until the last rule is served. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { rawCopySeconds } from './limits.ts';
import { median, quantile, report, seconds } from './report.ts';
import { benchRow, type BenchRow, rowText } from './rows.ts';
import type { Subject } from './subject.ts';

export interface BenchWebsite {
  id: number;
  host: string;
}

async function createWebsite(subject: Subject, name: string, autoDeploy: boolean): Promise<BenchWebsite> {
  const host = `${name}.bench.localhost`;
  const hosts = [{ hostname: host, environment: 'production' }];
  const body = JSON.stringify({ name, hosts, auto_deploy: autoDeploy });
  const { website } = await subject.call<{ website: { id: number } }>('POST', '/api/websites', body);
  return { id: website.id, host };
}

/** Deletes a website and waits until its rows are purged, so that the purge does not disturb the next measurement. */
async function dropWebsite(subject: Subject, { id }: BenchWebsite): Promise<void> {
  await subject.call('DELETE', `/api/websites/${id}?force=true`);
  const client = new Client(subject.databaseUrl);
  await client.connect();
  const left =
    'select 1 from redirects where website_id = $1 union all select 1 from redirect_revisions where website_id = $1 limit 1';
  while ((await client.query(left, [id])).rowCount) await new Promise((resolve) => setTimeout(resolve, 200));
  await client.query('vacuum analyze redirects, redirect_revisions');
  await client.end();
}

/** The request bodies on disk, so that generating them is not measured. */
interface Files {
  ndjson(generation: number): string;
  csv: string;
}

async function writeFiles(folder: string, count: number): Promise<Files> {
  const entry = ({ oldPath, newPath, status }: BenchRow): string =>
    `{"old_path":"${oldPath}","new_path":"${newPath}","status_code":${status}}\n`;
  const ndjson = (generation: number): string => join(folder, `${generation}.ndjson`);
  for (const generation of [0, 1]) {
    await pipeline(Readable.from(rowText(count, entry, generation)), createWriteStream(ndjson(generation)));
  }
  const csv = join(folder, 'redirects.csv');
  const lines = rowText(count, (row) => `${row.oldPath},${row.newPath},${row.status}\n`);
  await pipeline(Readable.from(['old_path,new_path,status_code\n', ...lines]), createWriteStream(csv));
  return { ndjson, csv };
}

/** POSTs one JSON body that is streamed from disk. */
async function postBulk(subject: Subject, website: BenchWebsite, file: string): Promise<void> {
  const blob = await openAsBlob(file);
  async function* body(): AsyncGenerator<Buffer> {
    yield Buffer.from(`{"website_id":"${website.id}","redirects":[`);
    let last: Buffer | undefined;
    for await (const chunk of blob.stream()) {
      if (last) yield last;
      last = commas(Buffer.from(chunk));
    }
    // Drop the comma after the last entry.
    if (last) yield last.subarray(0, last.length - 1);
    yield Buffer.from(']}');
  }
  await subject.post('/api/v1/redirects/bulk', 'application/json', body());
}

function commas(lines: Buffer): Buffer {
  for (let at = lines.indexOf(10); at >= 0; at = lines.indexOf(10, at + 1)) lines[at] = 44;
  return lines;
}

async function postCsv(subject: Subject, website: BenchWebsite, file: string): Promise<void> {
  const form = new FormData();
  form.set('website_id', String(website.id));
  form.set('file', await openAsBlob(file), 'redirects.csv');
  await subject.call('POST', '/api/redirects/import', form);
}

async function untilServed(subject: Subject, host: string, path: string): Promise<void> {
  while ((await subject.visit(host, path)).status >= 400) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Returns a website with `count` live rules for the next measurements. */
export async function measureImports(subject: Subject, count: number, repeats: number): Promise<BenchWebsite> {
  const folder = await mkdtemp(join(tmpdir(), 'detour-bench-file-'));
  const files = await writeFiles(folder, count);
  const taken = { raw: [], fresh: [], same: [], changed: [], csv: [], served: [] } as Record<string, number[]>;
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    taken[name]?.push(await seconds(work));
  };
  let live: BenchWebsite = { id: 0, host: '' };
  for (let repeat = 0; repeat < repeats; repeat++) {
    taken['raw']?.push(await rawCopySeconds(subject.databaseUrl, count));
    const still = await createWebsite(subject, `still${repeat}`, false);
    const before = await subject.read(true);
    await measure('fresh', () => postBulk(subject, still, files.ndjson(0)));
    if (repeat === 0) await reportCost(subject, before.rssMb);
    await measure('same', () => postBulk(subject, still, files.ndjson(0)));
    await measure('changed', () => postBulk(subject, still, files.ndjson(1)));
    await dropWebsite(subject, still);
    if (repeat === 0) await measureVisitor(subject, files);
    const csv = await createWebsite(subject, `csv${repeat}`, false);
    await measure('csv', () => postCsv(subject, csv, files.csv));
    await dropWebsite(subject, csv);
    live = await createWebsite(subject, `live${repeat}`, true);
    await measure('served', async () => {
      await postBulk(subject, live, files.ndjson(0));
      await untilServed(subject, live.host, benchRow(count - 1).oldPath);
    });
    if (repeat < repeats - 1) await dropWebsite(subject, live);
  }
  await rm(folder, { recursive: true });
  reportRatios(taken);
  return live;
}

function reportRatios(taken: Record<string, number[]>): void {
  const raw = taken['raw'] ?? [];
  const limit = median(raw);
  const list = (values: number[]): string => `${values.map((each) => each.toFixed(2)).join(' ')} s`;
  report({ name: 'limit: raw COPY of the same rows, same order', value: limit, unit: 's', note: list(raw) });
  const ratio = (name: string, key: string, promise?: number): void => {
    const values = taken[key] ?? [];
    const note = list(values);
    report({
      name,
      value: median(values) / limit,
      unit: 'x raw',
      ...(promise !== undefined && { promise }),
      note,
    });
  };
  ratio('POST of new redirects, until the response', 'fresh', 1.4);
  ratio('the same body again (nothing changed)', 'same', 0.8);
  ratio('the same paths, every target changed', 'changed', 2.0);
  ratio('the new redirects as CSV', 'csv');
  ratio('import with deployment, until the last rule is served', 'served', 3.0);
}

/** Response times of another website during an import. A separate import, because the visitor takes CPU time. */
async function measureVisitor(subject: Subject, files: Files): Promise<void> {
  const website = await createWebsite(subject, 'visited', false);
  const visitor = await startVisitor(subject);
  await postBulk(subject, website, files.ndjson(0));
  await visitor.finish();
  await dropWebsite(subject, website);
}

/** Requests a redirect of another website every 5 ms from a separate process, because this one is busy sending. */
async function startVisitor(subject: Subject): Promise<{ finish(): Promise<void> }> {
  const child = fork(join(import.meta.dirname, 'visitor.ts'), [subject.address, 'demo.localhost', '/old-page']);
  await once(child, 'message');
  return {
    async finish() {
      const answer = once(child, 'message');
      child.send('stop');
      const [taken] = (await answer) as [number[]];
      const note = `${taken.length} requests, median ${quantile(taken, 0.5).toFixed(1)} ms, slowest ${Math.max(...taken).toFixed(0)} ms`;
      report({
        name: 'a redirect of another website during an import, p99',
        value: quantile(taken, 0.99),
        unit: 'ms',
        promise: 25,
        note,
      });
    },
  };
}

async function reportCost(subject: Subject, rssBefore: number): Promise<void> {
  const { peakRssMb, loopP99Ms, loopMaxMs } = await subject.read();
  const note = `from ${rssBefore.toFixed(0)} to ${peakRssMb.toFixed(0)} MB`;
  report({ name: 'import: RSS growth', value: peakRssMb - rssBefore, unit: 'MB', promise: 100, note });
  report({ name: 'import: event loop delay p99', value: loopP99Ms, unit: 'ms', promise: 15 });
  report({ name: 'import: event loop delay max', value: loopMaxMs, unit: 'ms', promise: 50 });
}
