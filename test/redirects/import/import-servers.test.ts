/** Configurations of servers at the import of files: options, report, list of errors, undo, and as the body of a sync. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { expectRefusal, importFile, newRedirect, newWebsite, redirectsOf } from '../../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

const into = (id: number, file: string, options: Record<string, string> = {}) =>
  importFile(owner, file, { website_id: String(id), ...options });

/** The redirects as "status old new", by path. */
async function rulesOf(id: number): Promise<string[]> {
  const rules: { old_path: string; new_path: string | null; status_code: number }[] = await redirectsOf(owner, id);
  return rules.map((rule) => `${rule.status_code} ${rule.old_path} ${rule.new_path ?? '-'}`).toSorted();
}

/** A comment, two redirects, one with a condition, one after a pattern that answers first, and a page. */
const NETLIFY = [
  '# moved in spring',
  '/team  /about/team  301!',
  '/jobs  /careers     302',
  '/shop  /de/shop     301  Country=de',
  '/old/*  /new/:splat',
  '/old/a  /a',
  '/app/*  /index.html  200',
].join('\n');

test('each statement has a verdict in the report, and the import can be undone', async () => {
  const id = await newWebsite(owner);
  await newRedirect(owner, { website_id: id, old_path: '/team', new_path: '/about/team' });
  await newRedirect(owner, { website_id: id, old_path: '/jobs', new_path: '/work' });
  const before = await rulesOf(id);
  const options = { on_conflict: 'update', group_id: 'netlify', target_environments: 'staging' };
  const { body: checked } = await into(id, NETLIFY, { ...options, dry_run: 'true', report: 'true' });
  expect(checked).toMatchObject({ format: 'netlify', columns: [], verdicts: { new: 1, replaces: 2, invalid: 3 } });
  const { rows } = (await owner.call('GET', `/api/imports/${checked.import_id}/rows`)).body;
  const shown = rows.map(
    (row: { line: number; verdict: string; changes: string[]; error: { code: string } | null }) =>
      `${row.line} ${row.verdict} ${row.error?.code ?? row.changes.join(' ')}`,
  );
  expect(shown).toEqual([
    '2 replaces group_id target_environments',
    '3 replaces new_path status_code group_id target_environments',
    '4 invalid CONDITION_NOT_SUPPORTED',
    '5 new ',
    '6 invalid ORDER_CONFLICT',
    '7 invalid CONDITION_NOT_SUPPORTED',
  ]);
  const { body } = await into(id, NETLIFY, options);
  expect(body).toMatchObject({ imported: 1, updated: 2, changed: 2, error_count: 3 });
  const [first] = await redirectsOf(owner, id);
  expect(first).toMatchObject({ is_regex: true, group_id: 'netlify', target_environments: 'staging' });
  expect((await owner.call('POST', `/api/changes/${body.change_id}/undo`, {})).status).toBe(200);
  expect(await rulesOf(id)).toEqual(before);
});

test('each redirect of a line has a verdict, and as many are imported', async () => {
  const files: [string, number, string[]][] = [
    ['server { rewrite ^/q1$ /a permanent; rewrite ^/q2$ /b permanent; }', 2, ['1 new /q1 /a', '1 new /q2 /b']],
    [
      'rewrite ^/q3$ /a permanent; rewrite ^/q4/(.*)$ /b/$1 permanent;\nrewrite ^/q5$ /a permanent; rewrite ^/q6(?=x)$ /b permanent;',
      3,
      ['1 new /q3 /a', '1 new ^/q4/(.*)$ /b/$1', '2 invalid', '2 new /q5 /a'],
    ],
    ['map $uri $to { /m1 /a; /m2 /b; }\nserver { return 301 $to; }', 2, ['1 new /m1 /a', '1 new /m2 /b', '2 invalid']],
    [
      '[{"old_path":"/j1","new_path":"/a"},{"old_path":"/j2","new_path":"/b"},{"old_path":"^/(j","new_path":"/c","is_regex":true}]',
      2,
      ['1 new /j1 /a', '2 new /j2 /b', '3 invalid ^/(j'],
    ],
  ];
  for (const [file, created, shown] of files) {
    const id = await newWebsite(owner);
    const { body: checked } = await into(id, file, { dry_run: 'true', report: 'true' });
    const { rows } = (await owner.call('GET', `/api/imports/${checked.import_id}/rows`)).body;
    const texts = rows.map(({ line, verdict, old_path, new_path }: Record<string, string | null>) =>
      [line, verdict, old_path ?? '', new_path ?? ''].join(' ').trimEnd(),
    );
    expect([file, texts, checked.verdicts.new]).toEqual([file, shown, created]);
    expect((await into(id, file)).body).toMatchObject({ imported: created, error_count: checked.verdicts.invalid });
  }
});

test('the list of errors has the statements; fixed, it imports as CSV', async () => {
  const id = await newWebsite(owner);
  const { body } = await into(id, NETLIFY);
  const { text } = await owner.call('GET', `/api/imports/${body.import_id}/errors?format=csv`);
  const [header, ...lines] = text.trimEnd().split('\r\n');
  expect(header).toBe('line,column,code,message,old_path,new_path,status_code,is_regex,statement');
  expect(lines.map((line) => line.replace(/^(\d+),row,(\w+),(?:"[^"]*"|[^,]*),/, '$1 $2 '))).toEqual([
    '4 CONDITION_NOT_SUPPORTED ,,,,/shop  /de/shop     301  Country=de',
    '6 ORDER_CONFLICT /old/a,/a,301,false,/old/a  /a',
    '7 CONDITION_NOT_SUPPORTED ,,,,/app/*  /index.html  200',
  ]);
  const fixed = text
    .replace(',,,,,/shop', ',/shop,/de/shop,302,,/shop')
    .split('\r\n')
    .filter((line) => !line.startsWith('7,'))
    .join('\r\n');
  const { body: again } = await into(id, fixed);
  expect([again.format, again.imported, again.errors]).toEqual(['csv', 2, []]);
  expect(await rulesOf(id)).toEqual([
    '301 /old/a /a',
    '301 /team /about/team',
    '301 ^/old(?:/(.*))?$ /new/$1',
    '302 /jobs /careers',
    '302 /shop /de/shop',
  ]);
});

test.each([
  { columns: '{"a":"old_path"}' },
  { add_slash: 'true' },
  { wildcards: 'literal' },
  { corrections: '{"2":{"old_path":"/a"}}' },
])('the option %j is for CSV, and rejected', async (options) => {
  const id = await newWebsite(owner);
  const answer = await into(id, NETLIFY, options);
  expectRefusal(answer, 422, 'VALIDATION_ERROR', Object.keys(options)[0]);
  expect(answer.text).toContain('the format netlify; leave it out');
  expect(await rulesOf(id)).toEqual([]);
});

test('an option that is not known is 400', async () => {
  expectRefusal(await into(await newWebsite(owner), NETLIFY, { delimiter: ';' }), 400, 'UNKNOWN_FIELD', 'delimiter');
});

test('a sync and a bulk call take such a file as text/csv; an invalid statement rejects the sync', async () => {
  const id = await newWebsite(owner);
  await newRedirect(owner, { website_id: id, old_path: '/other', new_path: '/x' });
  const send = async (method: string, path: string, body: string) => {
    const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'text/csv' };
    return (await (await fetch(detour.address + path, { method, headers, body })).json()) as Record<string, unknown>;
  };
  const path = `/api/v1/websites/${id}/redirects`;
  const rejected = await send('PUT', path, NETLIFY);
  expect(rejected).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ line: 4 }, { line: 6 }, { line: 7 }] });
  expect(await rulesOf(id)).toEqual(['301 /other /x']);
  const valid = NETLIFY.split('\n').slice(0, 3).join('\n');
  expect(await send('PUT', path, valid)).toMatchObject({ sync: { created: 2, updated: 0, deleted: 1, unchanged: 0 } });
  const bulk = await send('POST', `/api/v1/redirects/bulk?website_id=${id}`, NETLIFY);
  expect(bulk).toMatchObject({ summary: { total_submitted: 6, created: 1, updated: 2, errors: 3 } });
  expect(await rulesOf(id)).toEqual(['301 /team /about/team', '301 ^/old(?:/(.*))?$ /new/$1', '302 /jobs /careers']);
});
