import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

test('a form is taken where a file is imported and nowhere else: 415', async () => {
  const form = new FormData();
  form.append('name', 'x');
  for (const path of ['/api/websites', '/api/redirects', '/api/auth/sign-in']) {
    const { status, body } = await owner.call('POST', path, form);
    expect([status, body.code], path).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  }
});

test('a name is counted in characters, not in halves of them', async () => {
  expect((await owner.call('POST', '/api/websites', { name: '🦊'.repeat(200) })).status).toBe(201);
  expect((await owner.call('POST', '/api/websites', { name: '🦊'.repeat(201) })).status).toBe(422);
});
