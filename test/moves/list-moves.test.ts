/** Warnings and undecided rows of a move, and what visitors have met of its URLs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { detailsVersion } from '../../src/moves/list-moves.ts';
import { type Move } from '../../src/moves/move.ts';
import { send, sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { createMove, storeMove } from '../support/moves.ts';
import { addRedirect, createSite } from '../support/site.ts';
import { until } from '../support/wait.ts';

let detour: TestDetour;
let owner: TestAccount;

beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

const query = (text: string, values: unknown[]) => detour.db.$client.query(text, values);

async function newMove(host: string, urls: string[]) {
  const site = await createSite(owner, [host]);
  const { move } = await createMove(owner, site, { from: { urls } });
  const read = async () => (await owner.keyCall('GET', `/api/v1/websites/${site}/moves/${move.id}`)).body.move;
  return { site, id: move.id as string, read };
}

test('a target of ten decided redirects or more is a warning', async () => {
  const urls = Array.from({ length: 30 }, (_, index) => `/old/${String(index).padStart(2, '0')}`);
  const { id, read } = await newMove('warned-move.example', urls);
  const decide = (target: string, from: string, to: string) =>
    query(`update move_rows set decision = 'redirect', target = $2 where move_id = $1 and url between $3 and $4`, [
      id,
      target,
      from,
      to,
    ]);
  await decide('/', '/old/00', '/old/11');
  await decide('/few', '/old/12', '/old/20');
  await decide('/start', '/old/20', '/old/29');
  await query(`update move_rows set decision = 'keep' where move_id = $1 and url = '/old/00'`, [id]);
  expect((await read()).warnings).toEqual([
    { code: 'SHARED_TARGET', target: '/', rows: 11 },
    { code: 'SHARED_TARGET', target: '/start', rows: 10 },
  ]);
});

test('undecided rows are counted by the confidence of their suggestion', async () => {
  const site = await createSite(owner, ['undecided-move.example']);
  const confidences = [2, 2, 2, 1, 1, 0, undefined, undefined];
  const rows = confidences.map((confidence, index) => ({
    url: `/${index}`,
    ...(confidence !== undefined && { confidence }),
  }));
  const id = await storeMove(detour.db, site, { rows });
  await query(`update move_rows set decision = 'skip' where move_id = $1 and url in ('/0', '/6')`, [id]);
  const { move } = (await owner.keyCall('GET', `/api/v1/websites/${site}/moves/${id}`)).body;
  expect(move.progress.undecided).toEqual({ sure: 2, likely: 2, guess: 1, none: 1 });
  const { moves } = (await owner.keyCall('GET', `/api/v1/websites/${site}/moves`)).body;
  expect(moves[0].progress).not.toHaveProperty('undecided');
});

test('after the apply, URLs count as met by hits on their redirects since that day', async () => {
  const { site, id, read } = await newMove('met-move.example', [
    ...['/a', '/b', '/c', '/kept', '/q?b=2&a=1'],
    ...['/old/1', '/old/2', '/unused/1'],
  ]);
  await query(
    `update move_rows set decision = case when url = '/kept' then 'keep' else 'redirect' end where move_id = $1`,
    [id],
  );
  await query(
    `update move_rows set rule = '^' || substr(url, 1, length(url) - 1) || '(.*)$' where length(url) in (6, 9)
    and move_id = $1`,
    [id],
  );
  expect((await read()).met).toBeNull();
  await query('update moves set applied_at = now() where id = $1', [id]);
  const hits = async (oldPath: string, people: number, bots: number, more = {}): Promise<void> => {
    const redirect = await addRedirect(owner, site, { old_path: oldPath, new_path: '/new', ...more });
    await query(
      `insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
       values ($1, $2, 'production', (now() at time zone 'UTC')::date, $3, $4, 0, '{}', '')`,
      [site, redirect, people, bots],
    );
  };
  await hits('/a', 3, 1);
  await hits('/kept', 1, 1);
  await hits('/q?b=2&a=1', 0, 2);
  await hits('^/old/(.*)$', 5, 0, { is_regex: true });
  const rules = { by_patterns: 3, by_hit_patterns: 2 };
  expect((await read()).met).toEqual({ urls: 7, by_people: 1, by_search_engines: 2, ...rules });
  await query(`update moves set applied_at = now() + interval '1 day' where id = $1`, [id]);
  expect((await read()).met).toEqual({
    ...{ urls: 7, by_people: 0, by_search_engines: 0 },
    ...{ by_patterns: 3, by_hit_patterns: 0 },
  });
});

test('a poll with the last ETag is 304 until a writer of the move or of its rows has changed something', async () => {
  const site = await createSite(owner, ['polled-move.example']);
  const names = Array.from({ length: 12 }, (_, n) => `page-${n}`);
  const id = await storeMove(detour.db, site, {
    rows: names.map((name) => ({ url: `/old/${name}` })),
    candidates: names.map((name) => `/new/${name}`),
    to: 'file',
  });
  const path = `/api/v1/websites/${site}/moves/${id}`;
  const write = async (method: string, rest: string, body?: unknown) => {
    const { status, body: written } = await owner.keyCall(method, path + rest, body);
    expect([rest, status]).toEqual([rest, rest === '/refresh' ? 202 : 200]);
    return written;
  };
  const headers = { authorization: `Bearer ${owner.key}` };
  let etag = '';
  /** Whether the content has changed since the last poll. */
  const poll = async (): Promise<boolean> => {
    const {
      status,
      headers: answer,
      text,
    } = await send(detour.address, 'GET', path, undefined, {
      ...headers,
      'if-none-match': etag,
    });
    expect(text === '').toBe(status === 304);
    etag = answer.get('etag') ?? '';
    return status === 200;
  };
  expect([await poll(), await poll()]).toEqual([true, false]);
  const changes: [name: string, () => Promise<unknown>][] = [
    ['rows', () => write('PUT', '/rows', { rows: [{ url: '/old/page-0', decision: 'gone', revision: 0 }] })],
    ['the same count', () => write('PUT', '/rows', { rows: [{ url: '/old/page-0', decision: 'keep', revision: 1 }] })],
    ['undo', () => write('POST', '/undo', { steps: 2 })],
    [
      'import',
      async () => {
        const text = names
          .slice(1, 11)
          .map((name) => `/old/${name},redirect,/new/${name},,0`)
          .join('\n');
        const answer = await fetch(`${detour.address}${path}/import`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'text/csv' },
          body: `url,decision,target,status_code,revision\n${text}`,
        });
        expect(await answer.json()).toMatchObject({ updated: 10 });
      },
    ],
    [
      'rule',
      async () => {
        const [{ pattern, target }] = (await write('GET', '/rules')).rules;
        await write('POST', '/rules/apply', { pattern, target, as: 'rule' });
      },
    ],
    ['filter', () => write('PUT', '/rows', { filter: {}, decision: null })],
    ['apply', () => write('POST', '/apply', {})],
    ['refresh', () => write('POST', '/refresh')],
  ];
  for (const [name, change] of changes) {
    await change();
    expect([name, await poll()]).toEqual([name, true]);
  }
  const progress = async () => (await owner.keyCall('GET', path)).body.move.progress;
  await until(async () => (await progress()).matched === 12);
  expect(await poll()).toBe(true);
});

test('what visitors have met since an apply makes a new version each minute', () => {
  const at = (time: string) => new Date(`2026-01-01T10:${time}Z`);
  const move = { id: 'mov_1', version: '7', appliedAt: null } as Move;
  expect(detailsVersion(move, at('00:00'))).toBe(detailsVersion(move, at('05:00')));
  const applied = { ...move, appliedAt: '2026-01-01 09:00:00+00' };
  expect(detailsVersion(applied, at('00:00'))).toBe(detailsVersion(applied, at('00:59')));
  expect(detailsVersion(applied, at('00:59'))).not.toBe(detailsVersion(applied, at('01:00')));
});
