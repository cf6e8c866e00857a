/** Export of all redirects of a website as JSON over HTTP, compared with COPY of the plain columns. */
import type { Bench } from './context.ts';
import { rawCopyOutSeconds } from './limits.ts';
import { report } from './report.ts';
import { median, seconds } from './statistics.ts';

export async function measureExport(bench: Bench): Promise<void> {
  const website = await bench.website();
  const service = await bench.service();
  const limits: number[] = [];
  const taken: number[] = [];
  const { rssMb } = await service.read('reset');
  let bytes = 0;
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    limits.push(await rawCopyOutSeconds(service.databaseUrl, website.id));
    taken.push(
      await seconds(async () => {
        bytes = await service.download(`/api/v1/redirects/bulk/export?website_id=${website.id}&format=json`);
      }),
    );
  }
  const { peakRssMb } = await service.read('read');
  report('exportTime', median(taken) / median(limits), { seconds: taken, copy_seconds: limits, mb: bytes / 1e6 });
  report('exportRss', peakRssMb - rssMb, { before_mb: rssMb, peak_mb: peakRssMb });
}
