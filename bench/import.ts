/** Import of new, unchanged and changed redirects, and the time until the last rule is served, against raw COPY. */
import { openAsBlob } from 'node:fs';
import {
  type Bench,
  type BenchWebsite,
  createWebsite,
  databaseBytes,
  dropWebsite,
  postBulk,
  untilServed,
} from './context.ts';
import { rawCopySeconds } from './limits.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';
import type { Service } from './service.ts';
import type { RowId } from './targets.ts';
import { median, seconds } from './statistics.ts';

export async function measureImports(bench: Bench): Promise<void> {
  const service = await bench.service();
  const { ndjson, csv } = await bench.files();
  const taken = { raw: [], fresh: [], same: [], changed: [], served: [], csv: [] } as Record<string, number[]>;
  const measure = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    taken[name]?.push(await seconds(work));
  };
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    taken['raw']?.push(await rawCopySeconds(service.databaseUrl, bench.rows));
    const still = await createWebsite(service, `still${repeat}`, false);
    const { rssMb } = await service.read('reset');
    const before = await databaseBytes(service.databaseUrl);
    await measure('fresh', () => postBulk(service, still, ndjson(0)));
    if (repeat === 0) {
      const { peakRssMb } = await service.read('read');
      report('importRss', peakRssMb - rssMb, { before_mb: rssMb, peak_mb: peakRssMb });
      report('importDisk', ((await databaseBytes(service.databaseUrl)) - before) / bench.rows);
    }
    await measure('same', () => postBulk(service, still, ndjson(0)));
    await measure('changed', () => postBulk(service, still, ndjson(1)));
    await dropWebsite(service, still);
    if (repeat === 0) {
      const website = await createWebsite(service, 'csv', false);
      await measure('csv', () => postCsv(service, website, csv));
      await dropWebsite(service, website);
    }
    const live = await createWebsite(service, `live${repeat}`, true);
    await measure('served', async () => {
      await postBulk(service, live, ndjson(0));
      await untilServed(service, live.host, benchRow(bench.rows - 1).oldPath);
    });
    await dropWebsite(service, live);
  }
  reportRatios(taken);
}

async function postCsv(service: Service, website: BenchWebsite, file: string): Promise<void> {
  const form = new FormData();
  form.set('website_id', String(website.id));
  form.set('file', await openAsBlob(file), 'redirects.csv');
  await service.call('POST', '/api/redirects/import', form);
}

function reportRatios(taken: Record<string, number[]>): void {
  const raw = taken['raw'] ?? [];
  const ratio = (id: RowId, key: string): void => {
    const values = taken[key] ?? [];
    report(id, median(values) / median(raw), { seconds: values, copy_seconds: raw });
  };
  ratio('importNew', 'fresh');
  ratio('importSame', 'same');
  ratio('importChanged', 'changed');
  ratio('importServed', 'served');
  ratio('importCsv', 'csv');
}
