/**
 * The verdict on each row of a dry run: its values, how long it is stored, and who may read it. Holds the rules of
 * src/redirects/import/verdicts/store-verdicts.ts.
 */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dropExpiredVerdicts } from '../../../../src/redirects/import/verdicts/store-verdicts.ts';
import { VERDICTS } from '../../../../src/vocabulary/import/verdict.ts';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import { until } from '../../../support/wait.ts';
import {
  colleague,
  expectRefusal,
  importFile,
  newRedirect,
  newWebsite,
  redirectsOf,
} from '../../../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  other = await detour.account();
});
afterAll(() => detour.stop());

async function check(id: number, file: string, options: Record<string, string> = {}) {
  const sent = { website_id: String(id), dry_run: 'true', report: 'true', ...options };
  const { status, body, text } = await importFile(owner, file, sent);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body;
}

const rowsOf = async (importId: string, query = '') =>
  (await owner.call('GET', `/api/imports/${importId}/rows${query}`)).body;

interface Shown {
  line: number;
  verdict: string;
  changes: string[];
  by_line: number | null;
}

/** Each row as one text: line, verdict, differing fields, and the deciding line. */
async function verdictsOf(importId: string): Promise<string[]> {
  const { rows } = await rowsOf(importId);
  return rows.map(({ line, verdict, changes, by_line }: Shown) =>
    [line, verdict, ...changes, ...(by_line === null ? [] : [`by ${by_line}`])].join(' '),
  );
}

async function siteWithRules(): Promise<number> {
  const id = await newWebsite(owner);
  await newRedirect(owner, { website_id: id, old_path: '/same', new_path: '/kept', notes: 'as it is' });
  await newRedirect(owner, { website_id: id, old_path: '/other', new_path: '/old-target' });
  await newRedirect(owner, { website_id: id, old_path: '/gone', new_path: null, status_code: 410 });
  await newRedirect(owner, { website_id: id, old_path: '^/p/(.*)$', new_path: '/q/$1', is_regex: true });
  return id;
}

const FILE = [
  'old_path,new_path,status_code,is_regex,notes',
  '/fresh,/a,302,,',
  '/same,/kept,301,,as it is',
  '/other,/new-target,308,,',
  'no-slash,/x,,,',
  '/twice,/first,,,',
  '/twice,/second,,,',
  '"/multi","/line",301,,"two',
  'lines"',
  '/twice,/third,,,',
  '/gone,,410,,',
  '^/p/(.*)$,/elsewhere/$1,,true,',
  '/loop,/loop,,,',
  '/other,/newer-target,308,,',
].join('\n');

describe('every row has one verdict', () => {
  test('with skip, existing redirects decide', async () => {
    const id = await siteWithRules();
    const before = await redirectsOf(owner, id);
    const { verdicts, import_id, ...counts } = await check(id, FILE);
    expect(await verdictsOf(import_id)).toEqual([
      '2 new',
      '3 unchanged',
      '4 skipped new_path status_code',
      '5 invalid',
      '6 new',
      '7 repeated by 6',
      '8 new',
      '10 repeated by 6',
      '11 unchanged',
      '12 skipped new_path',
      '13 invalid',
      '14 skipped new_path status_code',
    ]);
    expect(verdicts).toEqual({ new: 3, replaces: 0, unchanged: 2, skipped: 3, repeated: 2, invalid: 2 });
    expect([counts.imported, counts.skipped, counts.updated, counts.error_count]).toEqual([3, 7, 0, 2]);
    expect(await redirectsOf(owner, id)).toEqual(before);
  });

  test('with update, the last row of a path decides', async () => {
    const id = await siteWithRules();
    const before = await redirectsOf(owner, id);
    const { verdicts, import_id, ...counts } = await check(id, FILE, { on_conflict: 'update' });
    expect(await verdictsOf(import_id)).toEqual([
      '2 new',
      '3 unchanged',
      '4 repeated new_path status_code by 14',
      '5 invalid',
      '6 repeated by 10',
      '7 repeated by 10',
      '8 new',
      '10 new',
      '11 unchanged',
      '12 replaces new_path',
      '13 invalid',
      '14 replaces new_path status_code',
    ]);
    expect(verdicts).toEqual({ new: 3, replaces: 2, unchanged: 2, skipped: 0, repeated: 3, invalid: 2 });
    expect([counts.imported, counts.skipped, counts.updated, counts.error_count]).toEqual([3, 0, 7, 2]);
    expect(counts.changed).toBe(verdicts.replaces);
    expect(await redirectsOf(owner, id)).toEqual(before);
    const { body } = await importFile(owner, FILE, { website_id: String(id), on_conflict: 'update' });
    expect([body.imported, body.updated, body.error_count, body.changed]).toEqual([3, 7, 2, verdicts.replaces]);
    const after: { old_path: string; new_path: string }[] = await redirectsOf(owner, id);
    expect(after.find(({ old_path }) => old_path === '/twice')).toMatchObject({ new_path: '/third' });
    expect(after.find(({ old_path }) => old_path === '/other')).toMatchObject({ new_path: '/newer-target' });
  });

  test('with the values of the row, the existing redirect, and why a row is invalid', async () => {
    const id = await siteWithRules();
    const [, , other] = (await redirectsOf(owner, id)).map(({ id: each }: { id: number }) => each);
    const { import_id } = await check(id, FILE, { on_conflict: 'update' });
    const { rows, total } = await rowsOf(import_id);
    expect(total).toBe(12);
    expect(rows[0]).toEqual({
      line: 2,
      verdict: 'new',
      old_path: '/fresh',
      new_path: '/a',
      status_code: 302,
      is_regex: false,
      there: null,
      changes: [],
      by_line: null,
      error: null,
      values: null,
    });
    expect(rows[11]).toMatchObject({
      old_path: '/other',
      new_path: '/newer-target',
      status_code: 308,
      there: { id: other, new_path: '/old-target', status_code: 301 },
    });
    expect(rows[3]).toEqual({
      line: 5,
      verdict: 'invalid',
      old_path: 'no-slash',
      new_path: null,
      status_code: null,
      is_regex: null,
      there: null,
      changes: [],
      by_line: null,
      error: { column: 'old_path', code: 'INVALID_OLD_PATH', message: expect.stringMatching(/slash/) },
      values: { old_path: 'no-slash', new_path: '/x', status_code: '', is_regex: '', notes: '' },
    });
  });

  test('for groups, notes, environments and is_regex', async () => {
    const id = await newWebsite(owner);
    await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/b', group_id: 'g', notes: 'n' });
    const file = 'old_path,new_path,group,notes,environments,regex\n/a,/b,h,,staging,true\n';
    const { import_id } = await check(id, file, { on_conflict: 'update' });
    expect(await verdictsOf(import_id)).toEqual(['2 replaces is_regex group_id notes target_environments']);
  });

  test('an invalid entry does not decide about the path', async () => {
    const id = await newWebsite(owner);
    const file = 'old_path,new_path,status_code\n/a,/b,410\n/a,/c,301\n/a,/d,301\n';
    const { import_id } = await check(id, file);
    expect(await verdictsOf(import_id)).toEqual(['2 invalid', '3 new', '4 repeated by 3']);
  });

  test('a file with one verdict, and one without rows', async () => {
    const id = await newWebsite(owner);
    const bad = await check(id, 'old_path,new_path\nx,/y\nz,/y\n');
    expect(bad.verdicts).toMatchObject({ new: 0, invalid: 2 });
    expect(await verdictsOf(bad.import_id)).toEqual(['2 invalid', '3 invalid']);
    const none = await check(id, 'old_path,new_path\n');
    expect(none.verdicts).toEqual(Object.fromEntries(VERDICTS.map((name) => [name, 0])));
    expect(await rowsOf(none.import_id)).toEqual({ rows: [], total: 0 });
    const { text } = await owner.call('GET', `/api/imports/${none.import_id}/report`);
    expect(text).toMatch(/^line,verdict,[^\r]*\r\n$/);
  });
});

describe('windows and the report', () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => (at % 5 === 4 ? `bad${at},/x` : `/r${at},/x`));
  const file = ['old_path,new_path', ...lines].join('\n');

  test('any window of all rows, or of those of one verdict, is found by offset', async () => {
    const { import_id, verdicts } = await check(await newWebsite(owner), file);
    expect(verdicts).toMatchObject({ new: 4_000, invalid: 1_000 });
    const seen: number[] = [];
    for (let offset = 0; offset < 5_000; offset += 500) {
      const { rows, total } = await rowsOf(import_id, `?offset=${offset}&limit=500`);
      expect(total).toBe(5_000);
      seen.push(...rows.map(({ line }: Shown) => line));
    }
    expect(seen).toEqual(Array.from({ length: 5_000 }, (_, at) => at + 2));
    const { rows, total } = await rowsOf(import_id, '?verdict=invalid&offset=998&limit=100');
    expect([total, rows.map(({ line }: Shown) => line)]).toEqual([1_000, [4_996, 5_001]]);
    expect(await rowsOf(import_id, '?offset=5000')).toEqual({ rows: [], total: 5_000 });
    expect((await rowsOf(import_id)).rows).toHaveLength(100);
  });

  test('the report has all rows, or those of one verdict, as CSV', async () => {
    const { import_id } = await check(await newWebsite(owner), file);
    const whole = await owner.call('GET', `/api/imports/${import_id}/report`);
    expect([whole.status, whole.headers.get('content-type'), whole.headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      `attachment; filename="${import_id}-report.csv"`,
    ]);
    const rows = whole.text.trimEnd().split('\r\n');
    expect(rows).toHaveLength(5_001);
    expect(rows[1]).toBe('2,new,,/r0,/x,301,false,,,');
    expect(rows[5]).toMatch(/^6,invalid,"?old_path: .*bad4/);
    const bad = await owner.call('GET', `/api/imports/${import_id}/report?verdict=invalid`);
    expect(bad.text.trimEnd().split('\r\n')).toHaveLength(1_001);
  });

  test('a cell that a spreadsheet would execute begins with a space, which an import removes', async () => {
    const { import_id } = await check(await newWebsite(owner), 'old_path,new_path\n=1+1,/x\n');
    const { text } = await owner.call('GET', `/api/imports/${import_id}/report`);
    expect(text).toContain(', =1+1,');
  });
});

describe('who may read the rows, and for how long', () => {
  const one = 'old_path,new_path\n/a,/b\n';

  test('viewers check and read; another account finds nothing', async () => {
    const id = await newWebsite(owner);
    const viewer = await colleague(detour, owner, 'viewer');
    const sent = { website_id: String(id), dry_run: 'true', report: 'true' };
    const { body } = await importFile(viewer, one, sent);
    const address = `/api/imports/${body.import_id}`;
    expect((await viewer.call('GET', `${address}/rows`)).body.total).toBe(1);
    for (const path of ['rows', 'report']) {
      expectRefusal(await other.call('GET', `${address}/${path}`), 404, 'IMPORT_NOT_FOUND');
    }
  });

  test('an import without stored rows is 404', async () => {
    const id = await newWebsite(owner);
    for (const options of [{ dry_run: 'true' }, {}]) {
      const { body } = await importFile(owner, one, { website_id: String(id), ...options });
      expect(body).not.toHaveProperty('verdicts');
      for (const path of ['rows', 'report']) {
        const answer = await owner.call('GET', `/api/imports/${body.import_id}/${path}`);
        expectRefusal(answer, 404, 'IMPORT_NOT_FOUND', 'report=true');
      }
    }
    expectRefusal(
      await importFile(owner, one, { website_id: String(id), report: 'true' }),
      400,
      'INVALID_PARAMETER',
      'report',
    );
  });

  test('rows expire after an hour, and the oldest if an account has more than five reports', async () => {
    const id = await newWebsite(owner);
    const kept: string[] = [];
    for (let at = 0; at < 6; at++) kept.push((await check(id, one)).import_id);
    const status = async (importId: string): Promise<number> =>
      (await owner.call('GET', `/api/imports/${importId}/rows`)).status;
    expect(await Promise.all(kept.map(status))).toEqual([404, 200, 200, 200, 200, 200]);
    const [, aged = '', young = ''] = kept;
    await detour.db.execute(
      sql`update imports set completed_at = completed_at - interval '61 minutes' where id = ${aged}`,
    );
    await dropExpiredVerdicts(detour.db);
    expect([await status(aged), await status(young)]).toEqual([404, 200]);
  });

  test('rows that the database lost in a crash are 404, not an empty file', async () => {
    const { import_id } = await check(await newWebsite(owner), one);
    await detour.db.execute(sql`truncate ${sql.identifier(`import_rows_${import_id}`)}`);
    for (const path of ['rows', 'rows?verdict=new', 'report']) {
      expectRefusal(await owner.call('GET', `/api/imports/${import_id}/${path}`), 404, 'IMPORT_NOT_FOUND');
    }
  });
});

describe('an import with the id of the caller', () => {
  const NAME = 'imp_0123456789abcdefABCDEF';

  test('can be watched from the start, and is accepted once', async () => {
    const id = await newWebsite(owner);
    const count = 120_000;
    const lines = Array.from({ length: count }, (_, at) => `/w${at},/x`);
    const file = ['old_path,new_path', ...lines].join('\n');
    const sent = importFile(owner, file, { website_id: String(id), dry_run: 'true', import_id: NAME });
    const seen: { received: number; bytes: number }[] = [];
    await until(async () => {
      const { status, body } = await owner.call('GET', `/api/imports/${NAME}`);
      if (status === 200) seen.push(body.import.progress);
      return status === 200 && body.import.status === 'completed';
    });
    expect((await sent).body).toMatchObject({ import_id: NAME, imported: count });
    const onTheWay = seen.filter(({ received }) => received > 0 && received < count);
    expect(onTheWay.length).toBeGreaterThan(0);
    for (const { received, bytes } of onTheWay) {
      expect(bytes).toBeLessThan(file.length);
      expect(Math.abs(bytes / file.length - received / count)).toBeLessThan(0.15);
    }
    expect(seen.at(-1)).toEqual({ received: count, bytes: file.length });
    const again = await importFile(owner, 'old_path,new_path\n/a,/b\n', {
      website_id: String(id),
      import_id: NAME,
    });
    expectRefusal(again, 409, 'CONFLICT', 'import_id');
    expect(await redirectsOf(owner, id)).toEqual([]);
  });

  test('of another format is rejected', async () => {
    const id = await newWebsite(owner);
    for (const name of ['mine', 'imp_', `${NAME}x`, 'imp_0123456789abcdefABCDE"']) {
      const answer = await importFile(owner, 'old_path,new_path\n/a,/b\n', {
        website_id: String(id),
        import_id: name,
      });
      expectRefusal(answer, 400, 'INVALID_PARAMETER', 'import_id');
    }
  });
});

describe('rows with a notice', () => {
  const COUNT = 620;
  const plain = Array.from({ length: COUNT }, (_, at) => `p${at},/q,301,plain\n`).join('');
  const FILE = `origin,target,type,format\n${plain}^a/(.*),b/$1,301,regex\nbad,,301,plain\n`;
  const last = COUNT + 2;
  const linesOf = ({ rows }: { rows: Shown[] }) => rows.map(({ line }) => line);

  test('are those of a code, of an option that they want otherwise, or of a value', async () => {
    const { import_id: id } = await check(await newWebsite(owner), FILE);
    const choose = (query: string) => rowsOf(id, `?${query}`);
    const exact = await choose('notice=query:exact&limit=500&offset=400');
    expect([exact.total, linesOf(exact).slice(0, 2), linesOf(exact).at(-1)]).toEqual([
      COUNT + 1,
      [402, 403],
      COUNT + 3,
    ]);
    expect(linesOf(await choose('notice=query:drop'))).toEqual([last]);
    expect((await choose('notice=query')).total).toBe(COUNT + 2);
    expect((await choose('notice=case_sensitive')).total).toBe(0);
    expect((await choose('notice=case_sensitive:true&verdict=new')).total).toBe(COUNT + 1);
    const { text } = await owner.call('GET', `/api/imports/${id}/report?notice=query:drop`);
    expect(text.trim().split('\r\n')).toEqual([expect.stringMatching(/^line,/), expect.stringMatching(`^${last},new`)]);
    const all = await owner.call('GET', `/api/imports/${id}/report?notice=query`);
    expect(all.text.trim().split('\r\n')).toHaveLength(COUNT + 3);
    expect((await owner.call('GET', `/api/imports/${id}/rows?notice=Weather`)).status).toBe(400);
  });

  test('of a JSON file are those with an ignored field', async () => {
    const file = JSON.stringify([
      { old_path: '/a', new_path: '/b' },
      { old_path: '/c', new_path: '/d', id: 7 },
    ]);
    const { import_id: id } = await check(await newWebsite(owner), file);
    expect(linesOf(await rowsOf(id, '?notice=COLUMN_IGNORED'))).toEqual([2]);
  });
});
