/** GET /websites/{id}/groups of both surfaces: the largest first, searched and paged; and the filter by notes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { expectRefusal, importFile, newRedirect, newWebsite } from '../../surfaces/session-api/site.ts';

const SIZES = { sale: 3, 'Summer Sale': 2, '50%_sale': 1, Älteres: 2, wholesale: 4 };

let detour: TestDetour;
let owner: TestAccount;
let websiteId: number;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  websiteId = await newWebsite(owner);
  const rows = Object.entries(SIZES).flatMap(([group, size], g) =>
    Array.from({ length: size }, (_, i) => `/g${g}/${i},/x,${group}`),
  );
  const csv = `old_path,new_path,group_id\n${rows.join('\n')}\n/none,/x,\n`;
  await importFile(owner, csv, { website_id: String(websiteId) });
});
afterAll(() => detour.stop());

interface Page {
  groups: { group_id: string; redirect_count: number }[];
  next_cursor: string | null;
}

const list = (query: Record<string, string> = {}) =>
  owner.call<Page>('GET', `/api/websites/${websiteId}/groups?${String(new URLSearchParams(query))}`);
const namesOf = ({ body }: { body: Page }) => body.groups.map(({ group_id }) => group_id);

/** All pages of one group each. */
async function pageThrough(query: Record<string, string> = {}): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await list({ ...query, limit: '1', ...(cursor && { cursor }) });
    names.push(...namesOf(page));
    cursor = page.body.next_cursor;
  }
  return names;
}

test('groups come with their numbers of redirects, the largest first, the same in both surfaces', async () => {
  const { body } = await list();
  expect(body).toEqual({
    groups: [
      { group_id: 'wholesale', redirect_count: 4 },
      { group_id: 'sale', redirect_count: 3 },
      { group_id: 'Summer Sale', redirect_count: 2 },
      { group_id: 'Älteres', redirect_count: 2 },
      { group_id: '50%_sale', redirect_count: 1 },
    ],
    next_cursor: null,
  });
  expect((await owner.keyCall('GET', `/api/v1/websites/${websiteId}/groups`)).body).toEqual(body);
});

test('a search finds text anywhere in the name, the exact name first, then names that begin with it', async () => {
  expect(namesOf(await list({ q: 'sale' }))).toEqual(['sale', 'wholesale', 'Summer Sale', '50%_sale']);
  expect(namesOf(await list({ q: 'S' }))).toEqual(['sale', 'Summer Sale', 'wholesale', 'Älteres', '50%_sale']);
  expect(namesOf(await list({ q: '%_' }))).toEqual(['50%_sale']);
  expect(namesOf(await list({ q: 'none' }))).toEqual([]);
});

test('pages together are the whole list, with and without a search', async () => {
  expect(await pageThrough()).toEqual(namesOf(await list()));
  expect(await pageThrough({ q: 's' })).toEqual(namesOf(await list({ q: 's' })));
});

test('a cursor of another search is rejected', async () => {
  const { body } = await list({ q: 's', limit: '1' });
  expectRefusal(await list({ cursor: String(body.next_cursor) }), 400, 'INVALID_PARAMETER');
});

test('a group without redirects is not listed, and another account sees none of them', async () => {
  const { id } = await newRedirect(owner, {
    website_id: websiteId,
    old_path: '/short',
    new_path: '/x',
    group_id: 'brief',
  });
  expect(namesOf(await list({ q: 'brief' }))).toEqual(['brief']);
  await owner.call('PUT', `/api/redirects/${id}`, { group_id: null });
  expect(namesOf(await list({ q: 'brief' }))).toEqual([]);
  const other = await detour.account();
  expectRefusal(await other.call('GET', `/api/websites/${websiteId}/groups`), 404, 'WEBSITE_NOT_FOUND');
});

test('redirects are found by a text in their notes, which the search of paths does not read', async () => {
  const note = { website_id: websiteId, new_path: '/x', notes: 'Asked for by Legal, 100% sure' };
  await newRedirect(owner, { ...note, old_path: '/noted' });
  const pathsOf = async (query: Record<string, string>) => {
    const { body } = await owner.call('GET', `/api/redirects?${String(new URLSearchParams(query))}`);
    return body.redirects.map(({ old_path }: { old_path: string }) => old_path);
  };
  expect(await pathsOf({ notes: 'by legal' })).toEqual(['/noted']);
  expect(await pathsOf({ notes: '0% s' })).toEqual(['/noted']);
  expect(await pathsOf({ notes: 'unknown' })).toEqual([]);
  expect(await pathsOf({ q: 'legal' })).toEqual([]);
  const { body } = await owner.call('GET', `/api/redirects/count?notes=legal&website_id=${websiteId}`);
  expect(body.count).toBe(1);
});
