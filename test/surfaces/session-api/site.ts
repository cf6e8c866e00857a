/** Helpers of the tests of surface C: a website, a redirect, another user, an upload, and the expected errors. */
import { expect } from 'vitest';
import { type Answer, send, type TestAccount, type TestDetour } from '../../support/detour.ts';

export type Caller = Pick<TestAccount, 'call'>;

let made = 0;

/** A hostname that no other test has. */
export const newHost = (): string => `site${++made}.example.com`;

/**
 * Creates a website without hosts, so that nothing is deployed automatically, unless `input` sets them. Returns its id.
 */
export async function newWebsite(owner: Caller, input: object = {}): Promise<number> {
  const { status, body, text } = await owner.call('POST', '/api/websites', {
    name: 'Shop',
    auto_deploy: false,
    ...input,
  });
  if (status !== 201) throw new Error(`creating a website answered ${status}: ${text}`);
  return body.website.id;
}

/** A new redirect, as it was answered. */
export async function newRedirect(owner: Caller, fields: object) {
  const { status, body, text } = await owner.call('POST', '/api/redirects', fields);
  if (status !== 201) throw new Error(`creating a redirect answered ${status}: ${text}`);
  return body.redirect;
}

/** The stored redirect, or undefined. */
export async function readRedirect(owner: Caller, id: number) {
  return (await owner.call('GET', `/api/redirects/${id}`)).body.redirect;
}

/** All redirects of a website, newest first. */
export async function redirectsOf(owner: Caller, websiteId: number) {
  return (await owner.call('GET', `/api/redirects?website_id=${websiteId}`)).body.redirects;
}

/** A further user of the account, signed in. */
export async function colleague(
  detour: TestDetour,
  owner: TestAccount,
  role: 'owner' | 'editor' | 'viewer',
): Promise<Caller & { email: string; cookie: string }> {
  const email = `${role}${++made}@example.com`;
  const password = 'correct horse battery';
  const added = await owner.call('POST', '/api/users', { email, role, password });
  if (added.status !== 201) throw new Error(`adding a user answered ${added.status}: ${added.text}`);
  const signedIn = await send(detour.address, 'POST', '/api/auth/sign-in', { email, password }, {});
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return {
    email,
    cookie,
    call: (method, path, body, headers) => send(detour.address, method, path, body, { cookie, ...headers }),
  };
}

/** An upload: the fields of `before` stand before the file, those of `after` after it. */
export function fileForm(
  content: string | Uint8Array<ArrayBuffer>,
  before: Record<string, string> = {},
  after: Record<string, string> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(before)) form.append(name, value);
  form.append('file', new Blob([content]), 'redirects.csv');
  for (const [name, value] of Object.entries(after)) form.append(name, value);
  return form;
}

/** Imports a file into the website; the answer as it came. */
export function importFile(
  owner: Caller,
  content: string | Uint8Array<ArrayBuffer>,
  options: Record<string, string> = {},
) {
  return owner.call('POST', '/api/redirects/import', fileForm(content, options));
}

/** An error in the one body that every error has; `field` where the error must name it. */
export function expectRefusal(answer: Answer<unknown>, status: number, code: string, field?: string): void {
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(`"${code}"`)]);
  expect(answer.body).toMatchObject({
    error: expect.stringMatching(/./),
    details: expect.any(String),
    code,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  });
  if (field !== undefined) expect(answer.text).toContain(field);
}

/** The events of the account, newest first, as they will be delivered, with who made them. */
export async function eventsOf(detour: TestDetour, owner: TestAccount, websiteId?: number) {
  const { rows } = await detour.db.$client.query(
    `select id, event, website_id, redirect_id::int, actor_type, actor_id, actor_name, body from events
     where account_id = $1 and ($2::int is null or website_id = $2) order by id desc`,
    [owner.accountId, websiteId ?? null],
  );
  return rows.map(({ body, ...row }) => ({ ...row, ...JSON.parse(body) }));
}
