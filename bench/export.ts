/** Export of all redirects of a website as JSON over HTTP, compared with COPY of the plain columns. */
import type { BenchWebsite } from './import.ts';
import { rawCopyOutSeconds } from './limits.ts';
import { median, report, seconds } from './report.ts';
import type { Subject } from './subject.ts';

export async function measureExport(subject: Subject, website: BenchWebsite, repeats: number): Promise<void> {
  const limits: number[] = [];
  const taken: number[] = [];
  const { rssMb } = await subject.read(true);
  let bytes = 0;
  for (let repeat = 0; repeat < repeats; repeat++) {
    limits.push(await rawCopyOutSeconds(subject.databaseUrl, website.id));
    taken.push(
      await seconds(async () => {
        bytes = await subject.download(`/api/v1/redirects/bulk/export?website_id=${website.id}&format=json`);
      }),
    );
  }
  const { peakRssMb, loopMaxMs } = await subject.read();
  const note = `${(bytes / 1e6).toFixed(0)} MB in ${median(taken).toFixed(2)} s; COPY in ${median(limits).toFixed(2)} s`;
  report({
    name: 'export as JSON / COPY of the plain columns',
    value: median(taken) / median(limits),
    unit: 'x',
    promise: 1.5,
    note,
  });
  report({ name: 'export: RSS growth', value: peakRssMb - rssMb, unit: 'MB', promise: 80 });
  report({ name: 'export: event loop delay max', value: loopMaxMs, unit: 'ms', promise: 20 });
}
