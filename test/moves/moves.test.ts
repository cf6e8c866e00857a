/** Moves against a running service: creation, candidates, matching, refresh and deletion. Holds the rules of src/moves. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

let hosts = 0;
const newHost = (): string => `moves-${++hosts}.example`;
const call: TestAccount['keyCall'] = (method, path, body) => owner.keyCall(method, `/api/v1/websites/${path}`, body);
const push = (site: number, urls: unknown[], query = '') => call('PUT', `${site}/urls/living${query}`, { urls });
const rows = async (text: string) => (await detour.db.$client.query(text)).rows;

/** Creates a move and waits for its suggestions. */
async function create(site: number, body: Record<string, unknown>) {
  const created = await call('POST', `${site}/moves`, { name: 'Relaunch', ...body });
  expect(created.body).toMatchObject({ move: { state: 'matching', progress: { matched: 0 } } });
  expect(created.status).toBe(202);
  return { ...created.body, move: await matched(site, created.body.move.id) };
}

const matched = (site: number, id: string) =>
  until(async () => {
    const { move } = (await call('GET', `${site}/moves/${id}`)).body;
    return move.state === 'ready' && move;
  });

const rowsOf = (id: string, columns = 'url, weight, suggested, suggestions') =>
  rows(`select ${columns} from move_rows where move_id = '${id}' order by weight desc, url`);

describe('rows of a new move', () => {
  test('are the lost URLs of the website, with their weights and whole queries', async () => {
    const site = await createSite(owner, [newHost()]);
    await push(site, ['/a', '/old/page.html?id=7', '/old/b', '/c']);
    await call('POST', `${site}/urls`, { urls: [{ url: '/old/b', clicks: 5, links: 2 }] });
    await push(site, ['/a', '/page', '/c'], '?max_removed=100%25');
    const { move } = await create(site, {});
    expect(move).toMatchObject({
      from: 'lost',
      to: 'living',
      to_host: null,
      merged: 0,
      candidates: 3,
      left_out: 0,
      progress: { rows: 2, matched: 2, decided: 0, weight: 25, weight_decided: 0 },
      warnings: [],
      met: null,
      error: null,
    });
    expect(await rowsOf(move.id, 'url, raw_url, weight')).toEqual([
      { url: '/old/b', raw_url: null, weight: 25 },
      { url: '/old/page.html?id=7', raw_url: null, weight: 0 },
    ]);
  });
});
