/** Sync of a file of which ten rows differ, and of one without differences, against the bulk import of the same file. */
import { visit } from './client.ts';
import { type Bench, createWebsite, dropWebsite, until } from './context.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';
import { median, seconds } from './statistics.ts';

const ROWS = 200_000;
const REPLACED = 3;
const CHANGED = 4;

interface Counts {
  sync: { created: number; updated: number; deleted: number; unchanged: number };
}

/** Each repeat deletes three rows, creates three and changes four. */
export async function measureSyncs(bench: Bench): Promise<void> {
  const service = await bench.service();
  const website = await createWebsite(service, 'synced', true);
  const count = Math.min(ROWS, bench.rows);
  const path = `/api/v1/websites/${website.id}/redirects`;
  const sync = (body: string): Promise<Counts> => service.keyCall('PUT', path, body);
  const taken = { few: [] as number[], served: [] as number[], same: [] as number[], bulk: [] as number[] };
  await sync(JSON.stringify({ redirects: entriesOf(count, 0) }));
  for (let repeat = 1; repeat <= bench.repeats; repeat++) {
    const redirects = entriesOf(count, repeat);
    const body = JSON.stringify({ redirects });
    const first = redirects[0];
    let counts: Counts | undefined;
    taken.few.push(await seconds(async () => (counts = await sync(body))));
    const { created, updated, deleted } = counts?.sync ?? {};
    if (created !== REPLACED || deleted !== REPLACED || updated !== CHANGED)
      throw new Error(`the sync did ${JSON.stringify(counts)}`);
    taken.served.push(
      await seconds(() =>
        until(
          'the changed redirect',
          async () => {
            const { location } = await visit(service.address, website.host, first?.old_path ?? '');
            return location === first?.new_path;
          },
          5,
        ),
      ),
    );
    taken.same.push(await seconds(() => sync(body)));
    const bulk = JSON.stringify({ website_id: String(website.id), redirects });
    taken.bulk.push(await seconds(() => service.keyCall('POST', '/api/v1/redirects/bulk', bulk)));
  }
  await dropWebsite(service, website);
  report('syncFew', median(taken.few), { seconds: taken.few, bulk_seconds: taken.bulk });
  report('syncServed', median(taken.served), { seconds: taken.served });
  report('syncSame', median(taken.same) / median(taken.bulk), { seconds: taken.same, bulk_seconds: taken.bulk });
}

/** A window of the rows; the first four that stay have new targets. */
function entriesOf(count: number, repeat: number) {
  return Array.from({ length: count }, (_, index) => {
    const isChanged = repeat > 0 && index < CHANGED;
    const { oldPath, newPath, status } = benchRow(index + repeat * REPLACED, isChanged ? repeat : 0);
    return { old_path: oldPath, new_path: newPath, status_code: status };
  });
}
