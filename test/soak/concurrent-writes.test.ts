/** Every write is atomic, also with concurrent writes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import {
  eventsOf,
  importFile,
  newRedirect,
  newWebsite,
  readRedirect,
  redirectsOf,
} from '../surfaces/session-api/site.ts';

interface Listed {
  id: number;
  old_path: string;
  new_path: string;
}

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await startTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const kinds = async (id: number) => (await eventsOf(detour, owner, id)).map((each) => each.event);

describe('at the same time', () => {
  test('200 concurrent creations of one path: one succeeds, 199 get an error', async () => {
    const id = await newWebsite(owner);
    const spellings = ['/same', '/s%61me', '/./same', '/x/../same'];
    const answers = await Promise.all(
      times(200).map((index) =>
        owner.call('POST', '/api/redirects', {
          website_id: id,
          old_path: spellings[index % 4],
          new_path: `/n${index}`,
        }),
      ),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([201, ...times(199).map(() => 409)]);
    const created = answers.find((answer) => answer.status === 201)?.body.redirect;
    expect(await redirectsOf(owner, id)).toEqual([created]);
    expect(await kinds(id)).toEqual(['redirect.created']);
  });

  test('100 creations of 100 paths: all are created, each once', async () => {
    const id = await newWebsite(owner);
    const answers = await Promise.all(
      times(100).map((index) =>
        owner.call('POST', '/api/redirects', { website_id: id, old_path: `/p${index}`, new_path: '/x' }),
      ),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
    const rules: Listed[] = await redirectsOf(owner, id);
    expect(new Set(rules.map((rule) => rule.old_path)).size).toBe(100);
    expect(await kinds(id)).toHaveLength(100);
  });

  test('the rules of a loop, one write each: at least one is rejected, and no loop stays', async () => {
    const id = await newWebsite(owner);
    const answers = await Promise.all(
      times(10).map((index) =>
        owner.call('POST', '/api/redirects', {
          website_id: id,
          old_path: `/l${index}`,
          new_path: `/l${(index + 1) % 10}`,
        }),
      ),
    );
    const refused = answers.filter((answer) => answer.status === 422);
    expect(refused.map((answer) => answer.body.code)).toEqual(['REDIRECT_LOOP']);
    expect(await redirectsOf(owner, id)).toHaveLength(9);
  });

  test('updates of one redirect: each is applied, and the last event is what stays', async () => {
    const id = await newWebsite(owner);
    const { id: redirect } = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/start' });
    const answers = await Promise.all(
      times(50).map((index) => owner.call('PUT', `/api/redirects/${redirect}`, { new_path: `/n${index}` })),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    const updates = (await eventsOf(detour, owner, id)).filter((each) => each.event === 'redirect.updated').reverse();
    expect(updates).toHaveLength(50);
    let was = '/start';
    for (const { data } of updates) {
      expect(data.previous).toEqual({ new_path: was });
      was = data.redirect.new_path;
    }
    expect((await readRedirect(owner, redirect)).new_path).toBe(was);
  });

  test('updates of different fields of one redirect: none is lost', async () => {
    const id = await newWebsite(owner);
    const { id: redirect } = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    const changes = [
      { new_path: '/c' },
      { status_code: 308 },
      { group_id: 'g' },
      { notes: 'n' },
      { target_environments: 'staging' },
    ];
    await Promise.all(changes.map((change) => owner.call('PUT', `/api/redirects/${redirect}`, change)));
    expect(await readRedirect(owner, redirect)).toMatchObject(Object.assign({}, ...changes));
  });

  test('50 deletions of one redirect: one deletes it, the others find nothing', async () => {
    const id = await newWebsite(owner);
    const { id: redirect } = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    const answers = await Promise.all(times(50).map(() => owner.call('DELETE', `/api/redirects/${redirect}`)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...times(49).map(() => 404)]);
    expect(await kinds(id)).toEqual(['redirect.deleted', 'redirect.created']);
  });

  test('updates and a deletion: what comes after the deletion finds nothing', async () => {
    const id = await newWebsite(owner);
    const { id: redirect } = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b' });
    const answers = await Promise.all(
      times(30).map((index) =>
        index === 15
          ? owner.call('DELETE', `/api/redirects/${redirect}`)
          : owner.call('PUT', `/api/redirects/${redirect}`, { notes: `n${index}` }),
      ),
    );
    for (const answer of answers) expect([200, 404]).toContain(answer.status);
    const told = await kinds(id);
    expect(told[0]).toBe('redirect.deleted');
    expect(told.filter((kind) => kind === 'redirect.updated')).toHaveLength(
      answers.filter((answer, index) => index !== 15 && answer.status === 200).length,
    );
  });

  test('bulk updates and bulk deletions over the same redirects in any order all end', async () => {
    const [first, second] = [await newWebsite(owner), await newWebsite(owner)];
    const ids: number[] = [];
    for (const index of times(10)) {
      const website_id = index % 2 ? first : second;
      ids.push((await newRedirect(owner, { website_id, old_path: `/r${index}`, new_path: '/x' })).id);
    }
    const answers = await Promise.all(
      times(30).map((index) => {
        const redirectIds = index % 2 ? ids : [...ids].reverse();
        if (index === 25) return owner.call('DELETE', '/api/redirects/bulk-delete', { redirectIds });
        return owner.call('POST', '/api/redirects/bulk-update', {
          redirectIds,
          updates: { group_id: `g${index}` },
        });
      }),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    for (const { body } of answers) expect([0, 10]).toContain(body.updated ?? body.deleted);
    expect(await redirectsOf(owner, first)).toEqual([]);
    expect(await redirectsOf(owner, second)).toEqual([]);
  });

  test('a website that is deleted while redirects are created leaves none', async () => {
    const id = await newWebsite(owner);
    const answers = await Promise.all(
      times(40).map((index) =>
        index === 20
          ? owner.call('DELETE', `/api/websites/${id}?force=true`)
          : owner.call('POST', '/api/redirects', { website_id: id, old_path: `/p${index}`, new_path: '/x' }),
      ),
    );
    for (const answer of answers) expect([200, 201, 404]).toContain(answer.status);
    expect((await owner.call('GET', `/api/websites/${id}`)).status).toBe(404);
    const all: Listed[] = (await owner.call('GET', '/api/redirects')).body.redirects;
    const made = new Set(answers.flatMap((answer) => (answer.status === 201 ? [answer.body.redirect.id] : [])));
    expect(all.filter((each) => made.has(each.id))).toEqual([]);
  });
});

describe('imports', () => {
  const rows = (prefix: string, count: number, target: string) =>
    `old_path,new_path\n${times(count)
      .map((index) => `/${prefix}${index},${target}`)
      .join('\n')}\n`;

  test('two into one website at once are both applied', async () => {
    const id = await newWebsite(owner);
    const options = { website_id: String(id) };
    const [first, second] = await Promise.all([
      importFile(owner, rows('a', 3_000, '/1') + rows('both', 1_000, '/1').slice(18), options),
      importFile(owner, rows('b', 3_000, '/2') + rows('both', 1_000, '/2').slice(18), options),
    ]);
    for (const { status, body } of [first, second]) expect([status, body.error_count]).toEqual([200, 0]);
    expect(first.body.imported + second.body.imported).toBe(7_000);
    expect(first.body.skipped + second.body.skipped).toBe(1_000);
    const rules: Listed[] = await redirectsOf(owner, id);
    expect(new Set(rules.map((rule) => rule.old_path)).size).toBe(7_000);
    const targets = new Set(rules.filter((rule) => rule.old_path.startsWith('/both')).map((rule) => rule.new_path));
    expect(targets.size).toBe(1);
    expect((await kinds(id)).filter((kind) => kind === 'bulk_import.completed')).toHaveLength(2);
  });

  test('30 at once, into websites of their own and into one, all end', async () => {
    const shared = await newWebsite(owner);
    const sites = await Promise.all(times(15).map(() => newWebsite(owner)));
    const answers = await Promise.all(
      times(30).map((index) => {
        const id = sites[index] ?? shared;
        return importFile(owner, `${rows(`i${index}-`, 50, '/x')}bad,/x\n`, { website_id: String(id) });
      }),
    );
    for (const { status, body } of answers) expect([status, body.imported, body.error_count]).toEqual([200, 50, 1]);
    expect(await redirectsOf(owner, shared)).toHaveLength(15 * 50);
  });

  test('single writes wait for one that merges, and none of either is lost', async () => {
    const id = await newWebsite(owner);
    const existing = await newRedirect(owner, { website_id: id, old_path: '/m5', new_path: '/before' });
    const importing = importFile(owner, rows('m', 20_000, '/x'), {
      website_id: String(id),
      on_conflict: 'update',
    });
    const statuses: number[] = [];
    let done = false;
    const writer = async (name: number): Promise<void> => {
      for (let index = 0; !done; index++) {
        const [created, updated] = await Promise.all([
          owner.call('POST', '/api/redirects', {
            website_id: id,
            old_path: `/w${name}/${index}`,
            new_path: '/y',
          }),
          owner.call('PUT', `/api/redirects/${existing.id}`, { notes: `n${index}` }),
        ]);
        statuses.push(created.status, updated.status);
      }
    };
    const writers = times(15).map(writer);
    const answer = await importing;
    done = true;
    await Promise.all(writers);
    expect(answer.body).toMatchObject({ imported: 19_999, updated: 1, error_count: 0 });
    expect(statuses.filter((status) => status !== 200 && status !== 201)).toEqual([]);
    const rules: Listed[] = await redirectsOf(owner, id);
    expect(rules).toHaveLength(20_000 + statuses.length / 2);
    expect(await readRedirect(owner, existing.id)).toMatchObject({
      new_path: '/x',
      notes: expect.stringMatching(/^n\d+$/),
    });
  });

  test('a write that cannot get its turn within 10 s is 503 with Retry-After, and nothing of it stays', async () => {
    const id = await newWebsite(owner);
    const holder = await detour.db.$client.connect();
    try {
      await holder.query('begin');
      await holder.query('update websites set head_rev = head_rev where id = $1', [id]);
      const began = performance.now();
      const answer = await owner.call('POST', '/api/redirects', {
        website_id: id,
        old_path: '/a',
        new_path: '/b',
      });
      expect([answer.status, answer.body.code]).toEqual([503, 'BUSY']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(performance.now() - began).toBeGreaterThan(9_000);
      expect(performance.now() - began).toBeLessThan(12_000);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect(await redirectsOf(owner, id)).toEqual([]);
    expect(
      (await owner.call('POST', '/api/redirects', { website_id: id, old_path: '/a', new_path: '/b' })).status,
    ).toBe(201);
  });
});
