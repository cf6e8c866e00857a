/** One edit on a large website, until two processes on one database serve it. */
import { type Bench, until } from './context.ts';
import { visit } from './client.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';
import { median } from './statistics.ts';

const EDITS = 60;

export async function measureEdits(bench: Bench): Promise<void> {
  const { id: websiteId, host } = await bench.website();
  const service = await bench.service();
  const other = await bench.another();
  const path = benchRow(7).oldPath;
  const found = await service.call<{ redirects: { id: number }[] }>(
    'GET',
    `/api/redirects?website_id=${websiteId}&limit=1&q=${encodeURIComponent(path)}`,
  );
  const id = found.redirects[0]?.id ?? 0;
  const here: number[] = [];
  const there: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    const target = `/edited/${edit}`;
    const start = performance.now();
    const untilServed = async (address: string): Promise<number> => {
      await until(`the edit ${edit}`, async () => (await visit(address, host, path)).location === target, 0);
      return performance.now() - start;
    };
    await service.call('PUT', `/api/redirects/${id}`, JSON.stringify({ new_path: target }));
    const [own, others] = await Promise.all([untilServed(service.address), untilServed(other.address)]);
    here.push(own);
    there.push(others);
  }
  await other.stop();
  const both = here.map((ms, index) => Math.max(ms, there[index] ?? NaN));
  const raw = { 'first process median ms': median(here), 'second process median ms': median(there) };
  report('editMedian', median(both), raw);
  report('editMax', Math.max(...both), { 'first process max': Math.max(...here) });
}
