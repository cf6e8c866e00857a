/** POST /api/redirects/restore: undoes a single change or deletion within 24 hours. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { until } from '../../support/wait.ts';
import {
  eventsOf,
  expectRefusal,
  importFile,
  newHost,
  newRedirect,
  newWebsite,
  readRedirect,
  redirectsOf,
} from '../../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  other = await detour.account();
});
afterAll(() => detour.stop());

const restore = (website_id: number, event_id: string, account = owner) =>
  account.call('POST', '/api/redirects/restore', { website_id, event_id });

/** The id of the newest event of the kind. */
async function lastEvent(websiteId: number, kind: string): Promise<string> {
  const events = await eventsOf(detour, owner, websiteId);
  return events.find((each) => each.event === kind).id;
}

const FIELDS = {
  old_path: '/a?x=1',
  new_path: '/b',
  status_code: 307,
  group_id: 'g',
  notes: 'n',
  target_environments: 'production,development',
};

test('a deleted redirect comes back with its id and times', async () => {
  const id = await newWebsite(owner);
  const redirect = await newRedirect(owner, { website_id: id, ...FIELDS });
  await detour.db.$client.query(
    `update redirects set created_at = '2026-01-01T00:00:00Z', updated_at = '2026-01-02T00:00:00Z' where id = $1`,
    [redirect.id],
  );
  const before = await readRedirect(owner, redirect.id);
  expect(before.created_at).toBe('2026-01-01T00:00:00Z');
  await owner.call('DELETE', `/api/redirects/${redirect.id}`);
  const answer = await restore(id, await lastEvent(id, 'redirect.deleted'));
  expect([answer.status, answer.body.redirect]).toEqual([200, before]);
  expect(await readRedirect(owner, redirect.id)).toEqual(before);
});

test('a change is taken back, the time of the last change too', async () => {
  const id = await newWebsite(owner);
  const redirect = await newRedirect(owner, { website_id: id, ...FIELDS });
  await detour.db.$client.query(`update redirects set updated_at = '2026-01-02T00:00:00Z' where id = $1`, [
    redirect.id,
  ]);
  const before = await readRedirect(owner, redirect.id);
  const changed = {
    old_path: '/z',
    new_path: '/y',
    status_code: 301,
    group_id: null,
    notes: null,
    target_environments: '',
  };
  await owner.call('PUT', `/api/redirects/${redirect.id}`, changed);
  const answer = await restore(id, await lastEvent(id, 'redirect.updated'));
  expect([answer.status, answer.body.redirect]).toEqual([200, before]);
  expect(await readRedirect(owner, redirect.id)).toEqual(before);
});

test('one redirect of a bulk change or deletion can be taken back by its own event', async () => {
  const id = await newWebsite(owner);
  const first = await newRedirect(owner, { website_id: id, old_path: '/1', new_path: '/x' });
  const second = await newRedirect(owner, { website_id: id, old_path: '/2', new_path: '/x' });
  const redirectIds = [first.id, second.id];
  await owner.call('POST', '/api/redirects/bulk-update', { redirectIds, updates: { group_id: 'g' } });
  const events = await eventsOf(detour, owner, id);
  const ofSecond = events.find((each) => each.event === 'redirect.updated' && each.redirect_id === second.id);
  expect((await restore(id, ofSecond.id)).status).toBe(200);
  expect((await readRedirect(owner, first.id)).group_id).toBe('g');
  expect((await readRedirect(owner, second.id)).group_id).toBeNull();
  await owner.call('DELETE', '/api/redirects/bulk-delete', { redirectIds });
  const gone = (await eventsOf(detour, owner, id)).find(
    (each) => each.event === 'redirect.deleted' && each.redirect_id === first.id,
  );
  expect((await restore(id, gone.id)).status).toBe(200);
  expect((await redirectsOf(owner, id)).map((each: { id: number }) => each.id)).toEqual([first.id]);
});

test('taking back is a write with its event, and can be taken back in turn', async () => {
  const id = await newWebsite(owner);
  const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
  await owner.call('PUT', `/api/redirects/${redirect.id}`, { new_path: '/c' });
  await restore(id, await lastEvent(id, 'redirect.updated'));
  const [event] = await eventsOf(detour, owner, id);
  expect(event).toMatchObject({
    event: 'redirect.updated',
    redirect_id: redirect.id,
    data: { redirect: { new_path: '/b' }, previous: { new_path: '/c' } },
  });
  expect((await restore(id, event.id)).status).toBe(200);
  expect((await readRedirect(owner, redirect.id)).new_path).toBe('/c');
});

test('what was live is live again', async () => {
  const host = newHost();
  const id = await newWebsite(owner, {
    auto_deploy: true,
    hosts: [{ hostname: host, environment: 'production' }],
  });
  const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
  await newRedirect(owner, { website_id: id, old_path: '/later', new_path: '/b' });
  const answers = async (status: number) => (await detour.visit(host, '/a')).status === status;
  await until(() => answers(301));
  await owner.call('DELETE', `/api/redirects/${redirect.id}`);
  await until(() => answers(404));
  await restore(id, await lastEvent(id, 'redirect.deleted'));
  await until(() => answers(301));
  await until(async () => (await readRedirect(owner, redirect.id)).deployed_to_prod !== null);
  await owner.call('PUT', `/api/redirects/${redirect.id}`, { status_code: 308 });
  await until(() => answers(308));
  await restore(id, await lastEvent(id, 'redirect.updated'));
  await until(() => answers(301));
});

test('the response and the events have the time of the live rule, deployed since or not', async () => {
  const host = newHost();
  const id = await newWebsite(owner, {
    auto_deploy: true,
    hosts: [{ hostname: host, environment: 'production' }],
  });
  const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
  const live = await until(async () => {
    const read = await readRedirect(owner, redirect.id);
    return read.deployed_to_prod !== null && read;
  });
  await owner.call('PUT', `/api/websites/${id}`, { auto_deploy: false });
  await owner.call('PUT', `/api/redirects/${redirect.id}`, { new_path: '/c' });
  const changed = await restore(id, await lastEvent(id, 'redirect.updated'));
  expect(changed.body.redirect).toEqual(live);
  await owner.call('DELETE', '/api/redirects/bulk-delete', { redirectIds: [redirect.id] });
  const undeleted = await restore(id, await lastEvent(id, 'redirect.deleted'));
  expect(undeleted.body.redirect).toEqual(live);
  await owner.call('POST', '/api/redirects/bulk-update', { redirectIds: [redirect.id], updates: { notes: 'n' } });
  const events = await eventsOf(detour, owner, id);
  const ofRedirect = events.filter((each) => each.redirect_id === redirect.id);
  expect(ofRedirect.map((each) => [each.event, each.data.redirect.deployed_to_prod])).toEqual([
    ['redirect.updated', live.deployed_to_prod],
    ['redirect.created', live.deployed_to_prod],
    ['redirect.deleted', live.deployed_to_prod],
    ['redirect.updated', live.deployed_to_prod],
    ['redirect.updated', live.deployed_to_prod],
    ['redirect.created', null],
  ]);
  for (const each of ofRedirect) expect(each.data.redirect).toHaveProperty('deployed_to_dev', null);
});

describe('is rejected', () => {
  test('with 404 for an unknown event, and for one of another website', async () => {
    const [id, second] = [await newWebsite(owner), await newWebsite(owner)];
    const foreign = await newWebsite(other);
    const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    await owner.call('DELETE', `/api/redirects/${redirect.id}`);
    const event = await lastEvent(id, 'redirect.deleted');
    expectRefusal(await restore(id, 'evt_nothing'), 404, 'EVENT_NOT_FOUND');
    expectRefusal(await restore(second, event), 404, 'EVENT_NOT_FOUND');
    expectRefusal(await restore(id, event, other), 404, 'WEBSITE_NOT_FOUND');
    expectRefusal(await restore(foreign, event, other), 404, 'EVENT_NOT_FOUND');
    expectRefusal(await restore(2_000_000_000, event), 404, 'WEBSITE_NOT_FOUND');
    expectRefusal(await restore(id, 'a\u0000b'), 422, 'VALIDATION_ERROR', 'event_id');
    expect((await restore(id, '')).status).toBe(404);
    expect(await redirectsOf(owner, id)).toEqual([]);
  });

  test('with 400 where a field is missing, unknown or of the wrong type', async () => {
    const id = await newWebsite(owner);
    for (const [body, code] of [
      [{ website_id: id }, 'MISSING_PARAMETER'],
      [{ event_id: 'evt_1' }, 'MISSING_PARAMETER'],
      [{ website_id: id, event_id: 1 }, 'INVALID_PARAMETER'],
      [{ website_id: String(id), event_id: 'evt_1' }, 'INVALID_PARAMETER'],
      [{ website_id: id, event_id: ['evt_1'] }, 'INVALID_PARAMETER'],
      [{ website_id: id, event_id: 'evt_1', force: true }, 'UNKNOWN_FIELD'],
    ] as const) {
      expectRefusal(await owner.call('POST', '/api/redirects/restore', body), 400, code);
    }
  });

  test('with 422 for a creation, an import and what is older than 24 hours', async () => {
    const id = await newWebsite(owner);
    const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    expectRefusal(await restore(id, await lastEvent(id, 'redirect.created')), 422, 'VALIDATION_ERROR', 'event_id');
    await importFile(owner, 'old_path,new_path\n/i,/j\n', { website_id: String(id) });
    expectRefusal(await restore(id, await lastEvent(id, 'bulk_import.completed')), 422, 'VALIDATION_ERROR', 'event_id');
    await owner.call('DELETE', `/api/redirects/${redirect.id}`);
    const event = await lastEvent(id, 'redirect.deleted');
    const backdate = (hours: number) =>
      detour.db.$client.query(
        `update events set happened_at = now() - make_interval(hours => $2, mins => 1) where id = $1`,
        [event, hours],
      );
    await backdate(24);
    expectRefusal(await restore(id, event), 422, 'VALIDATION_ERROR', '24 hours');
    await backdate(23);
    expect((await restore(id, event)).status).toBe(200);
  });

  test('with 422 if an event that has its time only in the body is older than 24 hours', async () => {
    const id = await newWebsite(owner);
    const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    await owner.call('DELETE', `/api/redirects/${redirect.id}`);
    const event = await lastEvent(id, 'redirect.deleted');
    await detour.db.$client.query(
      `update events set happened_at = null, body = regexp_replace(body, '"timestamp":"[^"]*"', '"timestamp":"2020-01-01T00:00:00Z"')
       where id = $1`,
      [event],
    );
    expectRefusal(await restore(id, event), 422, 'VALIDATION_ERROR', '24 hours');
  });

  test('with 409 where the redirect changed since, is there again, or its path was taken', async () => {
    const id = await newWebsite(owner);
    const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    await owner.call('PUT', `/api/redirects/${redirect.id}`, { new_path: '/c' });
    const first = await lastEvent(id, 'redirect.updated');
    await owner.call('PUT', `/api/redirects/${redirect.id}`, { new_path: '/d' });
    expectRefusal(await restore(id, first), 409, 'CONFLICT');
    expect((await readRedirect(owner, redirect.id)).new_path).toBe('/d');
    await owner.call('DELETE', `/api/redirects/${redirect.id}`);
    expectRefusal(await restore(id, first), 409, 'CONFLICT');
    const deleted = await lastEvent(id, 'redirect.deleted');
    expect((await restore(id, deleted)).status).toBe(200);
    expectRefusal(await restore(id, deleted), 409, 'CONFLICT');
    await owner.call('DELETE', `/api/redirects/${redirect.id}`);
    const again = await lastEvent(id, 'redirect.deleted');
    const taker = await newRedirect(owner, { website_id: id, old_path: '/%61', new_path: '/x' });
    const events = await eventsOf(detour, owner, id);
    expectRefusal(await restore(id, again), 409, 'CONFLICT');
    expect(await redirectsOf(owner, id)).toEqual([taker]);
    expect(await eventsOf(detour, owner, id)).toEqual(events);
  });

  test('with 422 where the rule would close a loop, or its target is no longer allowed', async () => {
    const id = await newWebsite(owner, { allowed_target_hosts: ['shop.example.com'] });
    const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    await owner.call('DELETE', `/api/redirects/${redirect.id}`);
    await newRedirect(owner, { website_id: id, old_path: '/b', new_path: '/a' });
    expectRefusal(await restore(id, await lastEvent(id, 'redirect.deleted')), 422, 'REDIRECT_LOOP');
    const away = await newRedirect(owner, {
      website_id: id,
      old_path: '/away',
      new_path: 'https://shop.example.com/',
    });
    await owner.call('DELETE', `/api/redirects/${away.id}`);
    await owner.call('PUT', `/api/websites/${id}`, { allowed_target_hosts: [] });
    expectRefusal(
      await restore(id, await lastEvent(id, 'redirect.deleted')),
      422,
      'VALIDATION_ERROR',
      'shop.example.com',
    );
    expect(await redirectsOf(owner, id)).toHaveLength(1);
  });
});

test('of 20 restorations at once one is applied', async () => {
  const id = await newWebsite(owner);
  const redirect = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
  await owner.call('DELETE', `/api/redirects/${redirect.id}`);
  const event = await lastEvent(id, 'redirect.deleted');
  const answers = await Promise.all(Array.from({ length: 20 }, () => restore(id, event)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
});
