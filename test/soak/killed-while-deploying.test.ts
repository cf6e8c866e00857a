/** Repeated `kill -9` during edits, imports and deployments: every confirmed change is stored and live in the end. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../src/platform/postgres/server.ts';
import { send, visitAt } from '../support/detour.ts';
import { openWorkshop, type ServiceProcess, type Workshop } from '../support/process.ts';
import { type Caller, createSite, settled } from '../support/site.ts';
import { until } from '../support/wait.ts';

const HOST = 'killed.example';
const ROUNDS = 5;

let workshop: Workshop;
let service: ServiceProcess;
let port: number;
let cookie: string;

const address = () => `http://127.0.0.1:${port}`;
const owner: Caller = { call: (method, path, body) => send(address(), method, path, body, { cookie }) };

async function start(): Promise<void> {
  service = workshop.start({ PORT: String(port) });
  await service.ready;
}

beforeAll(async () => {
  workshop = openWorkshop();
  port = await freePort('127.0.0.1');
  await start();
  const { email, password } = JSON.parse(readFileSync(join(workshop.dataDir, 'credentials.json'), 'utf8'));
  const { headers } = await send(address(), 'POST', '/api/auth/sign-in', { email, password }, {});
  cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
});

afterAll(() => workshop.clear());

test('after five kills no confirmed change is lost, imports are complete or absent, and versions have no gap', async () => {
  const site = await createSite(owner, [HOST]);
  const acknowledged = new Map<string, string>();
  const imports: { round: number; acknowledged: boolean }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let alive = true;
    const writer = async (name: number): Promise<void> => {
      for (let i = 0; alive; i++) {
        const [path, target] = [`/edit-${round}-${name}-${i}`, `/to-${i}`];
        const answer = await owner
          .call('POST', '/api/redirects', { website_id: site, old_path: path, new_path: target })
          .catch(() => undefined);
        if (answer?.status === 201) acknowledged.set(path, target);
      }
    };
    const form = new FormData();
    form.set('website_id', String(site));
    const rows = Array.from({ length: 5_000 }, (_, i) => `/import-${round}-${i},/to`);
    form.set('file', new Blob([['old_path,new_path', ...rows].join('\n')]), 'rules.csv');
    const importing = owner.call('POST', '/api/redirects/import', form).then(
      ({ status }) => status === 200,
      () => false,
    );
    const writing = [0, 1, 2].map(writer);
    const before = acknowledged.size;
    // Each round kills at another moment of the import, always after some edits.
    await until(async () => acknowledged.size > before + 5 + round * 12, 30_000);
    service.signal('SIGKILL');
    await service.ended;
    alive = false;
    await Promise.all(writing);
    imports.push({ round, acknowledged: await importing });
    await start();
  }

  const all = await settled(owner, site);
  const versions = all.filter(({ status }) => status === 'completed').map(({ version }) => version);
  expect(versions).toEqual(versions.map((_, i) => versions.length - i));
  expect(all.filter(({ status }) => status === 'failed')).toEqual([]);
  for (const [path, target] of acknowledged) {
    expect([path, (await visitAt(address(), HOST, path)).location]).toEqual([path, target]);
  }
  let whole = 0;
  for (const { round, acknowledged: known } of imports) {
    const found = await Promise.all(
      [0, 1, 2_500, 4_999].map(async (i) => (await visitAt(address(), HOST, `/import-${round}-${i}`)).status === 301),
    );
    expect(new Set(found).size).toBe(1);
    if (known) expect(found[0]).toBe(true);
    if (found[0]) whole++;
  }
  const count = all[0]?.redirect_count ?? 0;
  expect(count).toBeGreaterThanOrEqual(acknowledged.size + whole * 5_000);
  expect(count).toBeLessThanOrEqual(acknowledged.size + whole * 5_000 + ROUNDS * 3);
  console.log(
    `${ROUNDS} kills: ${acknowledged.size} edits acknowledged, ${whole} of ${ROUNDS} imports applied, ${all.length} deployments`,
  );
});
