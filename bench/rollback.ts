/** Rollback and promotion of a large website, until live. */
import { visit } from './client.ts';
import { type Bench, type BenchWebsite, postBulk } from './context.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';
import type { Service } from './service.ts';
import { seconds } from './statistics.ts';
import { deployed } from './visitors.ts';

const EDITS = 10;

/** Changes every rule of the website. */
export async function measureRollbacks(bench: Bench): Promise<void> {
  const website = await bench.website();
  const service = await bench.service();
  const production = { website_id: website.id, environment: 'production' };
  await deployed(service, '/api/deployments', production);
  const version = await newestVersion(service, website);
  for (let edit = 0; edit < EDITS; edit++) {
    const body = { website_id: website.id, old_path: `/rolled-back-${edit}-${version}`, new_path: '/target' };
    await service.call('POST', '/api/redirects', JSON.stringify(body));
  }
  await deployed(service, '/api/deployments', production);
  const rollBack = (to: number | null): Promise<number> =>
    seconds(() => deployed(service, '/api/deployments/rollback', { ...production, version: to }));
  report('rollbackFew', await rollBack(version));
  // A promotion to an environment without rules; `visitors` may have filled staging.
  const promotion = { website_id: website.id, from: 'production', to: 'development' };
  report('promotion', await seconds(() => deployed(service, '/api/deployments/promote', promotion)));

  await deployed(service, '/api/deployments', production);
  const before = await newestVersion(service, website);
  await postBulk(service, website, (await bench.files()).ndjson(1));
  await deployed(service, '/api/deployments', production);
  const { oldPath, newPath } = benchRow(bench.rows - 1, 1);
  const { location } = await visit(service.address, website.host, oldPath);
  if (location !== newPath) throw new Error(`${oldPath} redirects to ${location}, not to ${newPath}`);
  report('rollbackAll', await rollBack(before));
}

async function newestVersion(service: Service, { id }: BenchWebsite): Promise<number | null> {
  const path = `/api/deployments?website_id=${id}&environment=production&limit=1`;
  const { deployments } = await service.call<{ deployments: { version: number | null }[] }>('GET', path);
  return deployments[0]?.version ?? null;
}
