/** Roles and scopes of the deployment endpoints. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send, sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { createSite, deploymentsOf } from '../../support/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let site: number;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  site = await createSite(owner, []);
});

afterAll(() => detour.stop());

/** The cookie of a new user of the account. */
async function userOf(role: string): Promise<string> {
  const credentials = { email: `${role}@access.example`, password: 'correct horse battery' };
  expect((await owner.call('POST', '/api/users', { ...credentials, role })).status).toBe(201);
  const { headers } = await send(detour.address, 'POST', '/api/auth/sign-in', credentials, {});
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

const asked = () => ({ website_id: site, environment: 'production' });
const askedOnA = () => ({ website_id: String(site), environment: 'production' });

describe('a user', () => {
  test('with the role of an editor deploys, a viewer looks only', async () => {
    const [editor, viewer] = [{ cookie: await userOf('editor') }, { cookie: await userOf('viewer') }];
    const refused = await send<{ code: string }>(detour.address, 'POST', '/api/deployments', asked(), viewer);
    expect([refused.status, refused.body.code]).toEqual([403, 'INSUFFICIENT_ROLE']);
    expect(await deploymentsOf(owner, site)).toEqual([]);
    expect((await send(detour.address, 'POST', '/api/deployments', asked(), editor)).status).toBe(202);
    const path = `/api/deployments?website_id=${site}`;
    const seen = await send<{ deployments: unknown[] }>(detour.address, 'GET', path, undefined, viewer);
    expect([seen.status, seen.body.deployments.length]).toEqual([200, 1]);
  });
});

describe('a key', () => {
  test('of scope read looks only', async () => {
    const { api_key } = (await owner.call('POST', '/api/keys', { name: 'reader', scope: 'read' })).body;
    const key = { authorization: `Bearer ${api_key.key}` };
    const refused = await send<{ code: string }>(detour.address, 'POST', '/api/v1/deployments', askedOnA(), key);
    expect([refused.status, refused.body.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect((await send(detour.address, 'GET', '/api/v1/deployments', undefined, key)).status).toBe(200);
  });

  test('of a free account does neither', async () => {
    const free = await detour.account('free');
    for (const answer of [
      await free.keyCall('GET', '/api/v1/deployments'),
      await free.keyCall('POST', '/api/v1/deployments', askedOnA()),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'PLAN_REQUIRED']);
    }
  });
});

test('requests without credentials are rejected', async () => {
  for (const path of ['/api/deployments', '/api/v1/deployments']) {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? asked() : undefined;
      expect((await send(detour.address, method, path, body, {})).status).toBe(401);
    }
  }
  expect(
    (
      await send(detour.address, 'GET', '/api/deployments', undefined, {
        authorization: `Bearer ${owner.key}`,
      })
    ).status,
  ).toBe(401);
});
