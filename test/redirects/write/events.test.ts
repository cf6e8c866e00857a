/**
 * The events that writes publish; rejected and empty writes publish none. Holds the rules of
 * src/redirects/write/single.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { colleague, eventsOf, newRedirect, newWebsite } from '../../surfaces/session-api/site.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

/** A website that deploys only when told to, so that its events are those of its redirects. */
const site = () => newWebsite(owner);
const events = (id: number) => eventsOf(detour, owner, id);

test('a creation publishes redirect.created with the whole redirect', async () => {
  const id = await site();
  const redirect = await newRedirect(owner, {
    website_id: id,
    old_path: '/a',
    new_path: '/b',
    group_id: 'g',
    notes: 'n',
    status_code: 302,
    target_environments: 'staging,production',
  });
  expect(await events(id)).toEqual([
    {
      id: expect.stringMatching(/./),
      event: 'redirect.created',
      timestamp: TIME,
      website_id: id,
      redirect_id: redirect.id,
      actor_type: 'user',
      actor_id: expect.stringMatching(/^\d+$/),
      actor_name: owner.email,
      data: {
        redirect: {
          id: String(redirect.id),
          website_id: String(id),
          old_path: '/a',
          new_path: '/b',
          status_code: 302,
          is_regex: false,
          group_id: 'g',
          notes: 'n',
          target_environments: ['production', 'staging'],
          active_from: null,
          active_until: null,
          created_at: redirect.created_at,
          updated_at: redirect.updated_at,
          deployed_to_prod: null,
          deployed_to_staging: null,
          deployed_to_dev: null,
        },
      },
    },
  ]);
});

test('what a redirect does not have is null in its events, never absent', async () => {
  const id = await site();
  await newRedirect(owner, { website_id: id, old_path: '/gone', status_code: 410, target_environments: '' });
  const [created] = await events(id);
  expect(created.data.redirect).toMatchObject({
    new_path: null,
    group_id: null,
    notes: null,
    target_environments: [],
  });
});

test.each([
  [{ new_path: '/c' }, { new_path: '/b' }],
  [
    { old_path: '/d', status_code: 308 },
    { old_path: '/a', status_code: 301 },
  ],
  [{ group_id: 'g' }, { group_id: null }],
  [{ notes: 'n', new_path: '/b' }, { notes: null }],
  [{ target_environments: 'staging' }, { target_environments: ['production'] }],
  [{ is_regex: true }, { is_regex: false }],
  [{ active_from: '2030-01-01T01:00:00.5+01:00' }, { active_from: null }],
  [
    { status_code: 410, new_path: null },
    { status_code: 301, new_path: '/b' },
  ],
])('an update with %j publishes previous %j', async (fields, previous) => {
  const id = await site();
  const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
  expect((await owner.call('PUT', `/api/redirects/${redirect.id}`, fields)).status).toBe(200);
  const [updated, ...earlier] = await events(id);
  expect(earlier).toHaveLength(1);
  expect(updated).toMatchObject({
    event: 'redirect.updated',
    redirect_id: redirect.id,
    actor_name: owner.email,
  });
  expect(updated.data.previous).toEqual(previous);
  expect(updated.data.redirect).toMatchObject({ id: String(redirect.id), website_id: String(id) });
  const now = (await owner.call('GET', `/api/redirects/${redirect.id}`)).body.redirect;
  const environments = now.target_environments === '' ? [] : now.target_environments.split(',');
  expect(updated.data.redirect).toMatchObject({
    old_path: now.old_path,
    new_path: now.new_path,
    status_code: now.status_code,
    is_regex: now.is_regex,
    group_id: now.group_id,
    notes: now.notes,
    target_environments: environments,
    active_from: now.active_from,
    active_until: now.active_until,
  });
});

test('a deletion publishes redirect.deleted with the last state of the redirect', async () => {
  const id = await site();
  const redirect = await newRedirect(owner, {
    website_id: id,
    old_path: '/a',
    new_path: '/b',
    group_id: 'g',
  });
  await owner.call('DELETE', `/api/redirects/${redirect.id}`);
  const [deleted, created] = await events(id);
  expect(deleted).toMatchObject({ event: 'redirect.deleted', redirect_id: redirect.id, data: created.data });
});

test('a bulk call makes one event for each redirect that it changes', async () => {
  const id = await site();
  const [first, second, same] = [
    await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/x' }),
    await newRedirect(owner, { website_id: id, old_path: '/b', new_path: '/x', group_id: 'h' }),
    await newRedirect(owner, { website_id: id, old_path: '/c', new_path: '/x', group_id: 'g' }),
  ];
  const redirectIds = [first.id, second.id, same.id, 2_000_000_000];
  await owner.call('POST', '/api/redirects/bulk-update', { redirectIds, updates: { group_id: 'g' } });
  const updated = (await events(id)).filter((each) => each.event === 'redirect.updated');
  expect(updated.map((each) => [each.redirect_id, each.data.previous]).sort()).toEqual([
    [first.id, { group_id: null }],
    [second.id, { group_id: 'h' }],
  ]);
  await owner.call('DELETE', '/api/redirects/bulk-delete', { redirectIds });
  const deleted = (await events(id)).filter((each) => each.event === 'redirect.deleted');
  expect(deleted.map((each) => each.redirect_id).sort()).toEqual([first.id, second.id, same.id].sort());
});

test('the actor is the user who did it', async () => {
  const id = await site();
  const editor = await colleague(detour, owner, 'editor');
  await newRedirect(editor, { website_id: id, old_path: '/a', new_path: '/b' });
  const [created] = await events(id);
  const users = (await owner.call('GET', '/api/users')).body.users;
  const user = users.find((each: { email: string }) => each.email === editor.email);
  expect(created).toMatchObject({ actor_type: 'user', actor_id: String(user.id), actor_name: editor.email });
});

describe('no event', () => {
  test('where nothing changed', async () => {
    const id = await site();
    const { id: redirect } = await newRedirect(owner, {
      website_id: id,
      old_path: '/a',
      new_path: '/b',
      group_id: 'g',
    });
    await owner.call('PUT', `/api/redirects/${redirect}`, {
      new_path: '/b',
      group_id: ' g ',
      target_environments: 'production',
    });
    await owner.call('POST', '/api/redirects/bulk-update', {
      redirectIds: [redirect],
      updates: { group_id: 'g' },
    });
    await owner.call('POST', '/api/redirects/bulk-update', {
      filter: { website_id: id },
      updates: { notes: null },
    });
    await owner.call('DELETE', '/api/redirects/bulk-delete', { redirectIds: [2_000_000_000] });
    expect((await events(id)).map((each) => each.event)).toEqual(['redirect.created']);
  });

  test('and no revision, where a write is rejected', async () => {
    const id = await site();
    const first = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    const second = await newRedirect(owner, { website_id: id, old_path: '/c', new_path: '/d' });
    const before = await events(id);
    const call = async (method: string, path: string, body?: object) => (await owner.call(method, path, body)).status;
    expect([
      await call('POST', '/api/redirects', { website_id: id, old_path: '/a', new_path: '/x' }),
      await call('POST', '/api/redirects', { website_id: id, old_path: '/b', new_path: '/a' }),
      await call('POST', '/api/redirects', {
        website_id: id,
        old_path: '/(',
        new_path: '/x',
        is_regex: true,
      }),
      await call('PUT', `/api/redirects/${second.id}`, { old_path: '/a' }),
      await call('PUT', `/api/redirects/${second.id}`, { old_path: '/b', new_path: '/a' }),
      await call('POST', '/api/redirects/bulk-update', {
        redirectIds: [first.id, second.id],
        updates: { notes: 'n', status_code: 410 },
      }),
    ]).toEqual([409, 422, 422, 409, 422, 422]);
    expect(await events(id)).toEqual(before);
    const { rows } = await detour.db.$client.query(
      'select count(*)::int as n from redirect_revisions where website_id = $1',
      [id],
    );
    expect(rows[0].n).toBe(0);
  });
});

test('the log of the account shows them newest first', async () => {
  const id = await site();
  const stored: string[] = [];
  for (const path of ['/a', '/b', '/c']) await newRedirect(owner, { website_id: id, old_path: path, new_path: '/x' });
  for (const each of await events(id)) stored.push(each.data.redirect.old_path);
  expect(stored).toEqual(['/c', '/b', '/a']);
});
