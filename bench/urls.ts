/** URLs of a large website: the push of a list against raw COPY, pages of the list, and the check against all rules. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { type Bench, type BenchWebsite, createWebsite, dropWebsite, query, until, untilUrlsKnown } from './context.ts';
import { report } from './report.ts';
import { type BenchRow, rowText } from './rows.ts';
import { median, seconds } from './statistics.ts';

/** Half of the URLs are paths of rules, the other half are targets. */
const urlOf = ({ oldPath, newPath, status }: BenchRow): string =>
  status === 302 || isOdd(newPath) ? oldPath : newPath;
const isOdd = (path: string): boolean => path.charCodeAt(path.length - 1) % 2 === 1;

type Part = 'raw' | 'push' | 'same' | 'page' | 'search' | 'check';

export async function measureUrls(bench: Bench): Promise<void> {
  const website = await bench.website();
  const service = await bench.service();
  const path = `/api/v1/websites/${website.id}/urls`;
  const listOf = (host: string): string => [...rowText(bench.rows, (row) => `https://${host}${urlOf(row)}\n`)].join('');
  const push = (to: BenchWebsite, list: string) =>
    // In a full run, another part has given the website other URLs.
    service.keyCall('PUT', `/api/v1/websites/${to.id}/urls/living?max_removed=100%25`, list);
  const vacuum = () => query(service.databaseUrl, (client) => client.query('vacuum analyze urls'));
  const taken: Record<Part, number[]> = { raw: [], push: [], same: [], page: [], search: [], check: [] };
  const measure = async (name: Part, work: () => Promise<unknown>): Promise<void> => {
    taken[name].push(await seconds(work));
  };
  await untilUrlsKnown(service, website);
  await push(website, listOf(website.host));
  await vacuum();
  // Before the pushes: the rows of deleted websites leave free space in the table, which scans read too.
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    await measure('page', () => service.keyCall('GET', `${path}?limit=100`));
    await measure('search', () => service.keyCall('GET', `${path}?limit=100&q=coffee-collection`));
    await service.read('reset');
    await measure('check', () => service.keyCall('POST', `${path}/check`, '{}'));
  }
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    taken.raw.push(await rawUrlSeconds(service.databaseUrl, bench.rows));
    // Targets of rules become known URLs in the background, so the push is measured on a website without rules.
    const empty = await createWebsite(service, `urls-${repeat}`, false);
    const list = listOf(empty.host);
    await measure('push', () => push(empty, list));
    await measure('same', () => push(empty, list));
    await dropWebsite(service, empty);
    await query(service.databaseUrl, async (client) => {
      const isPurged = async (): Promise<boolean> => isDone(await client.query(PURGED, [empty.id]));
      await until('the purge of the URLs', isPurged, 500);
    });
    await vacuum();
  }
  const raw = median(taken.raw);
  const ratio = (name: Part): number => median(taken[name]) / raw;
  report('urlPush', ratio('push'), { seconds: taken.push, raw: taken.raw });
  report('urlSame', ratio('same'), { seconds: taken.same });
  report('urlPage', median(taken.page), { seconds: taken.page });
  report('urlSearch', median(taken.search), { seconds: taken.search });
  report('urlCheck', median(taken.check), { seconds: taken.check });
}

const PURGED = 'select where not exists (select from urls where website_id = $1)';
const isDone = ({ rowCount }: { rowCount: number | null }): boolean => (rowCount ?? 0) > 0;

/** Seconds of a COPY of the same rows in the same order into a table as `urls`. */
function rawUrlSeconds(databaseUrl: string, count: number): Promise<number> {
  return query(databaseUrl, async (client) => {
    await client.query('create table bench_raw_urls (like urls including all)');
    await client.query('checkpoint');
    const rows = rowText(count, (row) => `1\t${urlOf(row)}\thttps://bench.localhost${urlOf(row)}\t{1}\t1\n`);
    const copy = 'copy bench_raw_urls (website_id, url, raw_url, lists, sources) from stdin';
    const taken = await seconds(() => pipeline(Readable.from(rows), client.query(copyFrom(copy))));
    await client.query('drop table bench_raw_urls');
    return taken;
  });
}
