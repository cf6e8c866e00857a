/** Importing: new, unchanged and changed files, and until the last rule of an import with deployment is served. */
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rawCopySeconds } from './limits.ts';
import { median, report, seconds } from './report.ts';
import { benchRow, rowText } from './rows.ts';
import type { Subject } from './subject.ts';

interface ImportAnswer {
  imported: number;
  updated: number;
  skipped: number;
  error_count: number;
}

export async function createBenchWebsite(
  subject: Subject,
  name: string,
  autoDeploy: boolean,
): Promise<number> {
  const body = JSON.stringify({
    name,
    hosts: [{ hostname: `${name}.bench.localhost`, environment: 'production' }],
    auto_deploy: autoDeploy,
  });
  return (await subject.call<{ website: { id: number } }>('POST', '/api/websites', body)).website.id;
}

async function importFile(
  subject: Subject,
  websiteId: number,
  path: string,
  onConflict: string,
): Promise<ImportAnswer> {
  const form = new FormData();
  form.set('website_id', String(websiteId));
  form.set('on_conflict', onConflict);
  form.set('file', await openAsBlob(path), 'redirects.csv');
  return subject.call<ImportAnswer>('POST', '/api/redirects/import', form);
}

async function untilServed(subject: Subject, host: string, path: string): Promise<void> {
  while ((await subject.visit(host, path)).status >= 400)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Answers the host of a website whose `count` rules are live, for what is measured next. */
export async function measureImports(
  subject: Subject,
  count: number,
  repeats: number,
): Promise<{ host: string; websiteId: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'detour-bench-file-'));
  const files = [join(folder, 'first.csv'), join(folder, 'second.csv')] as const;
  for (const [generation, file] of files.entries()) {
    await writeFile(file, ['old_path,new_path,status_code\n']);
    const csv = rowText(count, (row) => `${row.oldPath},${row.newPath},${row.status}\n`, generation);
    await writeFile(file, csv, { flag: 'a' });
  }
  const raw: number[] = [];
  const fresh: number[] = [];
  const same: number[] = [];
  const changed: number[] = [];
  const served: number[] = [];
  let live = { host: '', websiteId: 0 };
  for (let repeat = 0; repeat < repeats; repeat++) {
    raw.push(await rawCopySeconds(subject.databaseUrl, count));
    const still = await createBenchWebsite(subject, `still${repeat}`, false);
    await subject.read(true);
    fresh.push(await seconds(() => importFile(subject, still, files[0], 'skip')));
    if (repeat === 0) await reportCost(subject);
    same.push(await seconds(() => importFile(subject, still, files[0], 'update')));
    changed.push(await seconds(() => importFile(subject, still, files[1], 'update')));
    await subject.call('DELETE', `/api/websites/${still}?force=true`);

    const name = `live${repeat}`;
    const websiteId = await createBenchWebsite(subject, name, true);
    live = { host: `${name}.bench.localhost`, websiteId };
    served.push(
      await seconds(async () => {
        await importFile(subject, websiteId, files[0], 'skip');
        await untilServed(subject, live.host, benchRow(count - 1).oldPath);
      }),
    );
    if (repeat < repeats - 1) await subject.call('DELETE', `/api/websites/${websiteId}?force=true`);
  }
  await rm(folder, { recursive: true });
  const limit = median(raw);
  report({
    name: 'limit: raw COPY of the same rows',
    value: limit,
    unit: 's',
    note: raw.map((each) => each.toFixed(2)).join(' '),
  });
  const ratio = (name: string, taken: number[], promise: number): void =>
    report({
      name,
      value: median(taken) / limit,
      unit: 'x raw',
      promise,
      note: taken.map((each) => `${each.toFixed(2)} s`).join(' '),
    });
  ratio('CSV import of new redirects, answer included', fresh, 1.4);
  ratio('the same file again, on_conflict=update (nothing changed)', same, 0.8);
  ratio('the same paths, every target changed', changed, 2.0);
  ratio('import with deployment, until the last rule is served', served, 3.0);
  return live;
}

async function reportCost(subject: Subject): Promise<void> {
  const { rssMb, peakRssMb, loopP99Ms, loopMaxMs } = await subject.read();
  report({
    name: 'import: peak RSS',
    value: peakRssMb,
    unit: 'MB',
    note: `${rssMb.toFixed(0)} MB at its end`,
  });
  report({ name: 'import: event loop delay p99', value: loopP99Ms, unit: 'ms', promise: 15 });
  report({ name: 'import: event loop delay max', value: loopMaxMs, unit: 'ms', promise: 50 });
}
