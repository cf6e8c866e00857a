/** Corrections of invalid rows: the same file is sent again with other values for single rows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { expectRefusal, importFile, newWebsite, redirectsOf } from '../../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

type Corrections = Record<number, Record<string, string>>;

const send = (id: number, file: string, corrections: Corrections, options: Record<string, string> = {}) =>
  importFile(owner, file, { website_id: String(id), corrections: JSON.stringify(corrections), ...options });

/** Checks the file; returns each invalid row with its values. */
async function invalidRows(id: number, file: string, corrections: Corrections = {}) {
  const { body, text } = await send(id, file, corrections, { dry_run: 'true', report: 'true' });
  expect(body.import_id, text).toBeDefined();
  const { body: listed } = await owner.call('GET', `/api/imports/${body.import_id}/rows?verdict=invalid`);
  const rows: { line: number; values: unknown; error: { column: string } }[] = listed.rows;
  return rows.map(({ line, values, error }) => [line, error.column, values]);
}

/** The redirects as "old new status group", in the order of the file. */
async function rulesOf(id: number): Promise<string[]> {
  const rules: { old_path: string; new_path: string; status_code: number; group_id: string | null }[] =
    await redirectsOf(owner, id);
  return rules
    .map((rule) => `${rule.old_path} ${rule.new_path} ${rule.status_code} ${rule.group_id ?? '-'}`)
    .toSorted();
}

const FILE = 'from,to,code\n/a,/x,301\nb,/x,301\n/c,,301\n/d,/x,999\n';

test('an invalid row has its cells by field; corrected, it is checked and imported with the others', async () => {
  const id = await newWebsite(owner);
  expect(await invalidRows(id, FILE)).toEqual([
    [3, 'old_path', { old_path: 'b', new_path: '/x', status_code: '301' }],
    [4, 'new_path', { old_path: '/c', new_path: '', status_code: '301' }],
    [5, 'status_code', { old_path: '/d', new_path: '/x', status_code: '999' }],
  ]);
  const corrections = { 3: { old_path: '/b', group_id: 'fixed' }, 4: { new_path: 'still-bad' } };
  expect(await invalidRows(id, FILE, corrections)).toEqual([
    [4, 'new_path', { old_path: '/c', new_path: 'still-bad', status_code: '301' }],
    [5, 'status_code', { old_path: '/d', new_path: '/x', status_code: '999' }],
  ]);
  const { body } = await send(id, FILE, { ...corrections, 4: { new_path: '/y' }, 5: { status_code: '302' } });
  expect([body.imported, body.error_count]).toEqual([4, 0]);
  expect(await rulesOf(id)).toEqual(['/a /x 301 -', '/b /x 301 fixed', '/c /y 301 -', '/d /x 302 -']);
});

test('rows that cannot be read, and rows with too many cells, can be corrected', async () => {
  const id = await newWebsite(owner);
  const file = 'from,to\n/a "b,/x\n/c,/x,extra\n';
  expect(await invalidRows(id, file)).toEqual([
    [2, 'row', {}],
    [3, 'row', { old_path: '/c', new_path: '/x' }],
  ]);
  await send(id, file, { 2: { old_path: '/a', new_path: '/x' }, 3: {} });
  expect(await rulesOf(id)).toEqual(['/a /x 301 -', '/c /x 301 -']);
});

test('a corrected status, match or environment replaces columns that say it in another form', async () => {
  const id = await newWebsite(owner);
  const file = 'from,to,permanent,match_type,enabled\n/a,/x,maybe,exact,true\n/b,/x,true,unheard,true\n/c,/x,true,,x\n';
  const corrections = {
    2: { status_code: '302' },
    3: { is_regex: 'false' },
    4: { target_environments: 'staging' },
  };
  const { body } = await send(id, file, corrections);
  expect(body.errors).toEqual([]);
  expect(await rulesOf(id)).toEqual(['/a /x 302 -', '/b /x 308 -', '/c /x 308 -']);
});

test('a file without headers can be corrected', async () => {
  const id = await newWebsite(owner);
  await send(id, '/a,/x\n/b,x\n', { 2: { new_path: '/y', status_code: '308' } });
  expect(await rulesOf(id)).toEqual(['/a /x 301 -', '/b /y 308 -']);
});

test('at most 1,000 rows can be corrected at once', async () => {
  const corrections = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [at + 2, {}]));
  const answer = await send(await newWebsite(owner), FILE, corrections);
  expectRefusal(answer, 422, 'VALIDATION_ERROR', 'corrections');
});

test.each([
  ['{', /must be a JSON object from line to fields/],
  ['{"2": {"old_path": 1}}', /must be a JSON object from line to fields/],
  ['{"x": {"old_path": "/a"}}', /x\\" is not the number of a line/],
  ['{"2": {"id": "1"}}', /line 2 has \\"id\\", which is not one of old_path/],
  ['{"77": {"old_path": "/a"}}', /no row begins at line 77/],
  ['{"1": {"old_path": "/a"}}', /no row begins at line 1/],
])('corrections %j are rejected, and nothing is imported', async (corrections, message) => {
  const id = await newWebsite(owner);
  const answer = await importFile(owner, FILE, { website_id: String(id), corrections });
  expectRefusal(answer, 422, 'VALIDATION_ERROR', 'corrections');
  expect(answer.text).toMatch(message);
  expect(await rulesOf(id)).toEqual([]);
});
