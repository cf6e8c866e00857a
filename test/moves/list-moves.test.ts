/** Warnings and undecided rows of a move, and what visitors have met of its URLs. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../support/detour.ts';
import { createMove, storeMove } from '../support/moves.ts';
import { addRedirect, createSite } from '../support/site.ts';

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
  const { site, id, read } = await newMove('met-move.example', ['/a', '/b', '/c', '/kept', '/q?b=2&a=1']);
  await query(
    `update move_rows set decision = case when url = '/kept' then 'keep' else 'redirect' end where move_id = $1`,
    [id],
  );
  expect((await read()).met).toBeNull();
  await query('update moves set applied_at = now() where id = $1', [id]);
  const hits = async (oldPath: string, people: number, bots: number): Promise<void> => {
    const redirect = await addRedirect(owner, site, { old_path: oldPath, new_path: '/new' });
    await query(
      `insert into redirect_hits (website_id, redirect_id, environment, day, hits, bot_hits, micros, countries, visitors)
       values ($1, $2, 'production', (now() at time zone 'UTC')::date, $3, $4, 0, '{}', '')`,
      [site, redirect, people, bots],
    );
  };
  await hits('/a', 3, 1);
  await hits('/kept', 1, 1);
  await hits('/q?b=2&a=1', 0, 2);
  expect((await read()).met).toEqual({ urls: 4, by_people: 1, by_search_engines: 2 });
  await query(`update moves set applied_at = now() + interval '1 day' where id = $1`, [id]);
  expect((await read()).met).toEqual({ urls: 4, by_people: 0, by_search_engines: 0 });
});
