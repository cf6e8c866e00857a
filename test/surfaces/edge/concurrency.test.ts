/** Requests while versions change under them: each is answered by one whole version. */
import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
const agent = new Agent({ keepAlive: true, maxSockets: 500 });

function locationOf(host: string, path: string): Promise<[number, string | undefined]> {
  const { hostname, port } = new URL(detour.address);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ agent, hostname, port, path, headers: { host } }, (response) => {
      response.resume().on('end', () => resolve([response.statusCode ?? 0, response.headers.location]));
    });
    request.on('error', reject).end();
  });
}

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});

afterAll(async () => {
  agent.destroy();
  await detour.stop();
});

describe('500 requests at a time', () => {
  test('during deployments get the old target or the new one, never anything else, and never an older one again', async () => {
    const host = 'busy.example';
    const site = await createSite(owner, [host]);
    const id = await addRedirect(owner, site, { old_path: '/p', new_path: '/0' });
    await addRedirect(owner, site, { old_path: '/(a|b)/.*', new_path: '/pattern/$1', is_regex: true });
    await settled(owner, site);
    let editing = true;
    const edits = (async () => {
      for (let i = 1; i <= 8; i++) await owner.call('PUT', `/api/redirects/${id}`, { new_path: `/${i}` });
      await settled(owner, site);
      editing = false;
    })();
    const unexpected: unknown[] = [];
    let asked = 0;
    const visitor = async (): Promise<void> => {
      let newest = 0;
      while (editing) {
        const [status, location = ''] = await locationOf(host, '/p');
        const [, pattern] = await locationOf(host, '/b/x');
        const seen = Number(/^\/(\d+)$/.exec(location)?.[1]);
        if (status !== 301 || !(seen >= newest) || seen > 8 || pattern !== '/pattern/b')
          unexpected.push([status, location, pattern]);
        newest = seen;
        asked += 2;
      }
    };
    await Promise.all([edits, ...Array.from({ length: 500 }, visitor)]);
    expect(unexpected).toEqual([]);
    expect(asked).toBeGreaterThan(1_000);
    expect(await locationOf(host, '/p')).toEqual([301, '/8']);
  });

  test('rules that are changed together change together', async () => {
    const host = 'together.example';
    const site = await createSite(owner, [host]);
    const ids: number[] = [];
    for (let i = 0; i < 10; i++) ids.push(await addRedirect(owner, site, { old_path: `/p${i}`, new_path: '/to' }));
    await settled(owner, site);
    let editing = true;
    const edits = (async () => {
      for (const status_code of [302, 308, 307, 301, 302]) {
        await owner.call('POST', '/api/redirects/bulk-update', {
          redirectIds: ids,
          updates: { status_code },
        });
        await settled(owner, site);
      }
      editing = false;
    })();
    // The version of the first answer may be followed by a newer one, but the last rule is never older than the first.
    const order = [301, 302, 308, 307, 301, 302];
    const unexpected: unknown[] = [];
    const visitor = async (): Promise<void> => {
      let at = 0;
      while (editing) {
        for (const path of ['/p0', '/p9']) {
          const [status] = await locationOf(host, path);
          while (order[at] !== status && at < order.length) at++;
          if (at === order.length) return void unexpected.push([path, status]);
        }
      }
    };
    await Promise.all([edits, ...Array.from({ length: 50 }, visitor)]);
    expect(unexpected).toEqual([]);
  });
});
