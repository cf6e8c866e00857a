import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

test('only imports accept a form; other routes respond with 415', async () => {
  const form = new FormData();
  form.append('name', 'x');
  for (const path of ['/api/websites', '/api/redirects', '/api/auth/sign-in']) {
    const { status, body } = await owner.call('POST', path, form);
    expect([status, body.code], path).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  }
});

test('the length of a name is counted in characters, not in UTF-16 units', async () => {
  expect((await owner.call('POST', '/api/websites', { name: '🦊'.repeat(200) })).status).toBe(201);
  expect((await owner.call('POST', '/api/websites', { name: '🦊'.repeat(201) })).status).toBe(422);
});
