import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';

interface Event {
  id: string;
  event: string;
  timestamp: string;
  website_id: number;
  actor: { type: string; id: string; name: string };
  data: { redirect: { id: string; old_path: string } };
}

let detour: TestDetour;
let owner: TestAccount;
let websiteId: number;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  const { body } = await owner.call('POST', '/api/websites', { name: 'log', auto_deploy: false });
  websiteId = body.website.id;
  for (const name of ['a', 'b', 'c']) {
    await owner.call('POST', '/api/redirects', {
      old_path: `/${name}`,
      new_path: '/x',
      website_id: websiteId,
    });
  }
});

afterAll(() => detour.stop());

const events = async (query: string): Promise<Event[]> => (await owner.call('GET', `/api/events?${query}`)).body.events;
const paths = (list: Event[]): string[] => list.map((event) => event.data.redirect.old_path);

test('lists every change with its actor, newest first', async () => {
  const [newest, ...others] = await events(`website_id=${websiteId}`);
  expect(others).toHaveLength(2);
  expect(newest).toMatchObject({
    event: 'redirect.created',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    website_id: websiteId,
    actor: { type: 'user', name: owner.email },
    data: { redirect: { old_path: '/c', website_id: String(websiteId) } },
  });
  expect(newest?.actor.id).toMatch(/^\d+$/);
});

test('pages follow each other without gap or repetition', async () => {
  const first = await owner.call('GET', `/api/events?website_id=${websiteId}&limit=2`);
  expect(paths(first.body.events)).toEqual(['/c', '/b']);
  const second = await owner.call(
    'GET',
    `/api/events?website_id=${websiteId}&limit=2&cursor=${first.body.next_cursor}`,
  );
  expect(paths(second.body.events)).toEqual(['/a']);
  expect(second.body.next_cursor).toBeNull();
});

test('filters by redirect and by event; a deletion found here is taken back', async () => {
  const [created] = await events(`website_id=${websiteId}&event=redirect.created`);
  const id = created?.data.redirect.id;
  await owner.call('DELETE', `/api/redirects/${id}`);
  const [deleted, ...rest] = await events(`redirect_id=${id}`);
  expect([deleted?.event, ...rest.map((event) => event.event)]).toEqual(['redirect.deleted', 'redirect.created']);
  const restored = await owner.call('POST', '/api/redirects/restore', {
    website_id: websiteId,
    event_id: deleted?.id,
  });
  expect([restored.status, String(restored.body.redirect.id)]).toEqual([200, id]);
});

test('another account sees none of it, and what is asked wrongly is 400', async () => {
  const stranger = await detour.account();
  expect((await stranger.call('GET', '/api/events')).body).toEqual({ events: [], next_cursor: null });
  expect((await stranger.call('GET', `/api/events?website_id=${websiteId}`)).status).toBe(404);
  for (const query of ['event=redirect.eaten', 'limit=0', 'limit=1001', 'cursor=x', 'redirect_id=-1', 'colour=red']) {
    expect([query, (await owner.call('GET', `/api/events?${query}`)).status]).toEqual([query, 400]);
  }
});
