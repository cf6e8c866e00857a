/** A list of redirects of a website with many versions, compared with one with few. Every version is a deployment. */
import { type Bench, createWebsite, query, until } from './context.ts';
import { visit } from './client.ts';
import { report } from './report.ts';
import type { Service } from './service.ts';
import { median } from './statistics.ts';

const LISTED = 100;
const FEW = 10;
const MANY = 10_000;
const REQUESTS = 100;

/** With fewer rows than 1,000,000, fewer versions. */
export async function measureVersions(bench: Bench): Promise<void> {
  const service = await bench.service();
  const many = Math.max(FEW, Math.min(MANY, Math.round(bench.rows / 100)));
  const ids = [];
  for (const versions of [FEW, many]) ids.push(await websiteWithVersions(service, versions));
  const [few = 0, lots = 0] = ids;
  const taken = new Map<number, number[]>(ids.map((id) => [id, []]));
  for (let i = 0; i < REQUESTS; i++) {
    for (const id of [few, lots]) {
      const start = performance.now();
      await service.call('GET', `/api/redirects?website_id=${id}&limit=${LISTED}`);
      // The first requests of new connections are not measured.
      if (i >= 10) taken.get(id)?.push(performance.now() - start);
    }
  }
  const [fewMs, manyMs] = [median(taken.get(few) ?? []), median(taken.get(lots) ?? [])];
  const versions = await query(service.databaseUrl, async (client) => {
    const counts = 'select count(*)::int as count from versions where website_id = $1';
    return (await client.query<{ count: number }>(counts, [lots])).rows[0]?.count ?? 0;
  });
  report('listVersions', manyMs / fewMs, { ms: manyMs, 'ms with few': fewMs, versions });
}

/** Edits its redirects in turn, each edit a version, so that the listed times of deployment differ. */
async function websiteWithVersions(service: Service, versions: number): Promise<number> {
  const { id, host } = await createWebsite(service, `versions${versions}`, true);
  const redirects = Array.from({ length: LISTED }, (_, i) => ({ old_path: `/p${i}`, new_path: '/0' }));
  const body = Buffer.from(JSON.stringify({ website_id: String(id), redirects }));
  await service.post('/api/v1/redirects/bulk', 'application/json', only(body));
  const list = `/api/redirects?website_id=${id}&limit=${LISTED}`;
  const listed = (await service.call<{ redirects: { id: number; old_path: string }[] }>('GET', list)).redirects;
  for (let version = 2; version <= versions; version++) {
    const redirect = listed[version % LISTED];
    if (!redirect) throw new Error('the redirects are not listed');
    const target = `/${version}`;
    await service.call('PUT', `/api/redirects/${redirect.id}`, JSON.stringify({ new_path: target }));
    const isServed = async () => (await visit(service.address, host, redirect.old_path)).location === target;
    await until(`version ${version}`, isServed, 0);
  }
  return id;
}

async function* only(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}
