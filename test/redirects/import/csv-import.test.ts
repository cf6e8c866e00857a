/**
 * POST /api/redirects/import: files, options, and the counts of the response. Holds the rules of
 * src/redirects/import/files/import-file.ts, rule-file.ts, src/redirects/import/engine/error-counts.ts and
 * src/redirects/import/verdicts/find-import.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedTestDetour, type TestAccount, type TestDetour } from '../../support/detour.ts';
import { until } from '../../support/wait.ts';
import {
  colleague,
  eventsOf,
  expectRefusal,
  fileForm,
  importFile,
  newHost,
  newRedirect,
  newWebsite,
  redirectsOf,
} from '../../surfaces/session-api/site.ts';

let detour: TestDetour;
let owner: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
  other = await detour.account();
  await newWebsite(owner, { name: 'a first one' });
  await newWebsite(other);
});
afterAll(() => detour.stop());

const into = (id: number, file: string | Uint8Array<ArrayBuffer>, options: Record<string, string> = {}) =>
  importFile(owner, file, { website_id: String(id), ...options });

interface Rule {
  old_path: string;
  new_path: string | null;
  status_code: number;
}

/** The rules of a website as "old new status", oldest first. */
async function rulesOf(id: number): Promise<string[]> {
  const rules: Rule[] = await redirectsOf(owner, id);
  return rules.reverse().map((rule) => `${rule.old_path} ${rule.new_path ?? '-'} ${rule.status_code}`);
}

describe('the response', () => {
  test('counts every data row once and lists each error by line and column', async () => {
    const id = await newWebsite(owner, { auto_deploy: true });
    await newRedirect(owner, { website_id: id, old_path: '/there', new_path: '/kept' });
    const file = [
      'old_path,new_path,status_code,notes',
      '/a,/b,302,first',
      '/there,/other,,',
      'no-slash,/x,,',
      '"/multi","/line",301,"two',
      'lines"',
      '/c,/d,999,',
      '/e,/e,,',
      '/a,/again,,',
      '/f,//evil.example.com,,',
    ].join('\n');
    const { status, body } = await into(id, file);
    expect(status).toBe(200);
    expect(body).toEqual({
      imported: 2,
      skipped: 2,
      updated: 0,
      changed: 0,
      error_count: 4,
      error_counts: [
        { code: 'INVALID_OLD_PATH', count: 1 },
        { code: 'INVALID_STATUS_CODE', count: 1 },
        { code: 'REDIRECT_LOOP', count: 1 },
        { code: 'INVALID_NEW_PATH', count: 1 },
      ],
      hosts_not_allowed: [],
      errors: [
        { line: 4, column: 'old_path', code: expect.any(String), message: expect.stringMatching(/slash|\//) },
        { line: 7, column: 'status_code', code: 'INVALID_STATUS_CODE', message: expect.any(String) },
        { line: 8, column: expect.any(String), code: 'REDIRECT_LOOP', message: expect.any(String) },
        { line: 10, column: 'new_path', code: 'INVALID_NEW_PATH', message: expect.any(String) },
      ],
      message: expect.stringMatching(/./),
      notices: [],
      columns: ['old_path', 'new_path', 'status_code', 'notes'].map((name) => ({
        header: name,
        field: name,
      })),
      format: 'csv',
      import_id: expect.stringMatching(/^imp_/),
      deployments: [expect.stringMatching(/^dep_/)],
      change_id: expect.stringMatching(/^chg_/),
    });
    expect(await rulesOf(id)).toEqual(['/there /kept 301', '/a /b 302', '/multi /line 301']);
  });

  test('lists the first 1,000 errors and counts all; all can be downloaded as CSV', async () => {
    const id = await newWebsite(owner);
    const bad = Array.from({ length: 1_500 }, (_, index) => `bad${index},/x`);
    const { body } = await into(id, ['old_path,new_path', '/good,/x', ...bad].join('\n'));
    expect(body).toMatchObject({ imported: 1, error_count: 1_500 });
    expect(body.error_counts).toEqual([{ code: 'INVALID_OLD_PATH', count: 1_500 }]);
    expect(body.errors).toHaveLength(1_000);
    expect(body.errors[0].line).toBe(3);
    const rest = await owner.call('GET', `/api/imports/${body.import_id}/errors?format=csv`);
    expect([rest.status, rest.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/csv/)]);
    const lines = rest.text.trimEnd().split(/\r?\n/);
    expect(lines).toHaveLength(1_501);
    expect(lines.at(-1)).toMatch(/^1502,old_path,/);
    expectRefusal(
      await owner.call('GET', `/api/imports/${body.import_id}/errors?format=xml`),
      400,
      'INVALID_PARAMETER',
      'format',
    );
    expectRefusal(await other.call('GET', `/api/imports/${body.import_id}/errors?format=csv`), 404, 'IMPORT_NOT_FOUND');
  });

  test('counts all rows by each host that the website does not allow; allowed, the rows are valid', async () => {
    const id = await newWebsite(owner);
    const lines = (count: number, host: string) =>
      Array.from({ length: count }, (_, at) => `/${host}/${at},https://${host}/x`);
    const file = ['old_path,new_path', ...lines(1_200, 'One.example'), ...lines(2, 'two.example'), 'bad,/x'].join('\n');
    const { body } = await into(id, file, { dry_run: 'true' });
    expect(body.error_counts).toEqual([
      { code: 'TARGET_HOST_NOT_ALLOWED', count: 1_202 },
      { code: 'INVALID_OLD_PATH', count: 1 },
    ]);
    const hosts: { host: string; count: number }[] = body.hosts_not_allowed;
    expect(hosts).toEqual([
      { host: 'one.example', count: 1_200 },
      { host: 'two.example', count: 2 },
    ]);
    const allowed = { allowed_target_hosts: hosts.map(({ host }) => host) };
    expect((await owner.call('PUT', `/api/websites/${id}`, allowed)).status).toBe(200);
    const { body: after } = await into(id, file);
    expect([after.imported, after.error_count, after.hosts_not_allowed]).toEqual([1_202, 1, []]);
  });

  test('the list of errors has every column of the file; fixed, it can be imported', async () => {
    const id = await newWebsite(owner);
    await newRedirect(owner, { website_id: id, old_path: '^/p$', new_path: '/q', is_regex: true });
    const file = [
      'Team;Redirect from;Redirect to;Code;isRegex',
      'a;/fine;/x;301;',
      '-5;nö-slash;"/t;1";301;false',
      '=SUM(1);/b;;301;',
      '@x;/c;/x;99;',
      '+1;/"d;/x;301;',
      ';^/e/(.*)$;/f/$2;301;true',
    ].join('\n');
    const sent = { columns: '{"Team":"notes"}', on_conflict: 'update' };
    const { body: checked } = await into(id, file, { ...sent, dry_run: 'true', report: 'true' });
    const { body } = await into(id, file, sent);
    expect([body.imported, body.error_count]).toEqual([1, 5]);
    const [first] = body.errors;
    expect(first.message).toContain('"nö-slash"');
    const download = async (path: string) => (await owner.call('GET', path)).text;
    const list = await download(`/api/imports/${body.import_id}/errors?format=csv`);
    expect(await download(`/api/imports/${checked.import_id}/report?verdict=invalid`)).toBe(list);
    const lines = list.trimEnd().split('\r\n');
    expect(lines[0]).toBe('line,column,code,message,Team,Redirect from,Redirect to,Code,isRegex');
    expect(lines.map((line) => /^\d+,\w+,\w+/.exec(line)?.[0])).toEqual([
      undefined,
      '3,old_path,INVALID_OLD_PATH',
      '4,new_path,TARGET_REQUIRED',
      '5,status_code,INVALID_STATUS_CODE',
      '6,row,MALFORMED_ROW',
      '7,new_path,INVALID_NEW_PATH',
    ]);
    expect(lines[4]).toMatch(/," \+1;\/""d;\/x;301;"$/);
    const fixed = list
      .replace(',nö-slash,', ',/nö-slash,')
      .replace('/b,,', '/b,/x,')
      .replace(',99,', ',302,')
      .replace('" +1;/""d;/x;301;"', ' +1,/d,/x,301,')
      .replace(',/f/$2,', () => ',/f/$1,');
    const { body: again } = await into(id, fixed, sent);
    expect([again.imported, again.errors, again.notices]).toEqual([5, [], []]);
    const rules: { old_path: string; new_path: string; notes: string }[] = (await redirectsOf(owner, id)).slice(0, 5);
    expect(rules.map(({ old_path, new_path, notes }) => [old_path, new_path, notes]).sort()).toEqual([
      ['/b', '/x', '=SUM(1)'],
      ['/c', '/x', '@x'],
      ['/d', '/x', '+1'],
      ['/nö-slash', '/t;1', '-5'],
      ['^/e/(.*)$', '/f/$1', null],
    ]);
  });

  test('the import can be read afterwards, by its own account only', async () => {
    const id = await newWebsite(owner);
    const { body } = await into(id, 'old_path,new_path\n/a,/b\nx,/y\n');
    const shown = await owner.call('GET', `/api/imports/${body.import_id}`);
    expect([shown.status, shown.body.import]).toEqual([
      200,
      expect.objectContaining({
        id: body.import_id,
        website_id: id,
        source: 'csv',
        status: 'completed',
        progress: { received: 2, bytes: expect.any(Number) },
        summary: expect.objectContaining({
          total_submitted: 2,
          created: 1,
          updated: 0,
          skipped: 0,
          errors: 1,
        }),
        error: null,
        created_at: expect.stringMatching(/Z$/),
        completed_at: expect.stringMatching(/Z$/),
      }),
    ]);
    for (const path of [`/api/imports/${body.import_id}`, '/api/imports/imp_nothing']) {
      expectRefusal(await other.call('GET', path), 404, 'IMPORT_NOT_FOUND');
    }
    expect((await other.call('GET', '/api/imports/%00')).status).toBe(404);
  });

  test('one event reports the completion, none reports single redirects', async () => {
    const id = await newWebsite(owner);
    const { body } = await into(id, 'old_path,new_path\n/a,/b\n/c,/d\nx,/y\n');
    const events = await eventsOf(detour, owner, id);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      event: 'bulk_import.completed',
      website_id: id,
      actor_type: 'user',
      actor_name: owner.email,
      data: {
        import: {
          import_id: body.import_id,
          website_id: String(id),
          source: 'csv',
          summary: { total_submitted: 3, created: 2, updated: 0, errors: 1 },
          processing_time: expect.stringMatching(/^\d+\.\d+s$/),
          completed_at: expect.stringMatching(/Z$/),
        },
      },
    });
  });
});

describe('the website', () => {
  test('is a form field, before or after the file, or a query parameter', async () => {
    const id = await newWebsite(owner);
    const path = '/api/redirects/import';
    const text = String(id);
    const before = await owner.call('POST', path, fileForm('old_path,new_path\n/1,/x', { website_id: text }));
    const after = await owner.call('POST', path, fileForm('old_path,new_path\n/2,/x', {}, { website_id: text }));
    const query = await owner.call('POST', `${path}?website_id=${id}`, fileForm('old_path,new_path\n/3,/x'));
    expect([before.body.imported, after.body.imported, query.body.imported]).toEqual([1, 1, 1]);
    expect(await redirectsOf(owner, id)).toHaveLength(3);
  });

  test('is a column; a row with another website than the form is an error row', async () => {
    const id = await newWebsite(owner);
    const file = `old_path,new_path,website_id\n/a,/b,${id}\n/c,/d,${id}\n`;
    expect((await importFile(owner, file)).body).toMatchObject({ imported: 2, error_count: 0 });
    const mixed = `old_path,new_path,website_id\n/e,/f,${id}\n/g,/h,${id + 1}\n/i,/j,\n/k,/l,abc\n`;
    const { body } = await into(id, mixed);
    expect(body).toMatchObject({ imported: 2, error_count: 2 });
    expect(
      body.errors.map((error: { line: number; column: string; code: string }) => [error.line, error.column]),
    ).toEqual([
      [3, 'website_id'],
      [5, 'website_id'],
    ]);
    expect(body.errors[0].code).toBe('WEBSITE_MISMATCH');
  });

  test('may be omitted if the account has one, else 400; an unknown one is 404', async () => {
    const file = 'old_path,new_path\n/a,/b\n';
    const single = await detour.account();
    expectRefusal(await importFile(single, file), 400, 'MISSING_PARAMETER', 'website_id');
    await newWebsite(single);
    expect((await importFile(single, file)).body.imported).toBe(1);
    expectRefusal(await importFile(owner, file), 400, 'MISSING_PARAMETER', 'website_id');
    const foreign = (await other.call('GET', '/api/websites')).body.websites[0].id;
    for (const id of [foreign, 2_000_000_000, 2_147_483_648, 0, -1]) {
      expectRefusal(await into(id, file), 404, 'WEBSITE_NOT_FOUND');
    }
    expectRefusal(await importFile(owner, file, { website_id: 'abc' }), 400, 'INVALID_PARAMETER', 'website_id');
    const column = `old_path,new_path,website_id\n/a,/b,${foreign}\n`;
    expectRefusal(await importFile(owner, column), 404, 'WEBSITE_NOT_FOUND');
    expect(await redirectsOf(other, foreign)).toEqual([]);
  });
});

describe('the file', () => {
  test('can have every field of a redirect', async () => {
    const id = await newWebsite(owner);
    const file = [
      'old_path,new_path,status_code,is_regex,group_id,notes,target_environments',
      '/p/(.*),/q/$1,308,true,spring,"a, b","staging,production"',
      '/gone,,410,false,,,',
      '/default,/x,,,,,',
    ].join('\n');
    expect((await into(id, file)).body).toMatchObject({ imported: 3, error_count: 0 });
    const rules: Rule[] = await redirectsOf(owner, id);
    const [usual, gone, pattern] = ['/default', '/gone', '/p/(.*)'].map((path) =>
      rules.find((rule) => rule.old_path === path),
    );
    expect(pattern).toMatchObject({
      status_code: 308,
      is_regex: true,
      group_id: 'spring',
      notes: 'a, b',
      target_environments: 'production,staging',
    });
    expect(gone).toMatchObject({ status_code: 410, new_path: null, group_id: null });
    expect(usual).toMatchObject({ status_code: 301, is_regex: false, notes: null, target_environments: 'production' });
  });

  test('a source on a host of the website becomes its path, another host is an error row', async () => {
    const host = newHost();
    const id = await newWebsite(owner, { hosts: [{ hostname: host, environment: 'production' }] });
    const file = `old_path,new_path\nhttps://${host}/a?x=1,/b\nhttps://other.example.org/c,/d\n`;
    const { body } = await into(id, file);
    expect(body).toMatchObject({ imported: 1, error_count: 1 });
    expect(body.errors[0]).toMatchObject({ line: 3, column: 'old_path', code: 'SOURCE_HOST_MISMATCH' });
    expect(await rulesOf(id)).toEqual(['/a?x=1 /b 301']);
  });

  test('a disabled rule becomes a draft, a DELETE an error row', async () => {
    const id = await newWebsite(owner);
    expect((await into(id, 'source,target,enabled\n/off,/x,false\n/on,/x,true\n')).body.imported).toBe(2);
    const [on, off] = await redirectsOf(owner, id);
    expect([on.target_environments, off.target_environments]).toEqual(['production', '']);
    const { body } = await into(id, 'Path,Command,Target\n/on,DELETE,/x\n/new,NEW,/x\n');
    expect(body).toMatchObject({ imported: 1, error_count: 1 });
    expect(body.errors[0]).toMatchObject({ line: 2, code: 'DELETE_NOT_SUPPORTED' });
    expect(await redirectsOf(owner, id)).toHaveLength(3);
  });

  test('notices count what was read but not stored', async () => {
    const id = await newWebsite(owner);
    const { body } = await into(id, 'old_path,new_path,hits\n/a,/b,5\n/c,/d,7\n');
    expect(body).toMatchObject({ imported: 2, error_count: 0 });
    expect(body.notices).toEqual([{ code: expect.any(String), column: 'hits', count: expect.any(Number) }]);
  });

  test('without rows, or with a header alone, is an import of zero rows', async () => {
    const id = await newWebsite(owner);
    const { status, body } = await into(id, 'old_path,new_path\n');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ imported: 0, skipped: 0, updated: 0, errors: [], error_count: 0 }),
    ]);
  });
});

describe('options', () => {
  test('add_slash adds the leading slash of a source', async () => {
    const id = await newWebsite(owner);
    expect((await into(id, 'old_path,new_path\nabc,/x\n')).body).toMatchObject({
      imported: 0,
      error_count: 1,
    });
    expect((await into(id, 'old_path,new_path\nabc,/x\n', { add_slash: 'true' })).body.imported).toBe(1);
    expect(await rulesOf(id)).toEqual(['/abc /x 301']);
  });

  test('an unknown column is 422 unless ignore_unknown is set or columns maps it', async () => {
    const id = await newWebsite(owner);
    const file = 'old_path,new_path,Weather\n/a,/b,sunny\n';
    expectRefusal(await into(id, file), 422, 'UNKNOWN_COLUMN', 'Weather');
    expect(await redirectsOf(owner, id)).toEqual([]);
    const ignored = await into(id, file, { ignore_unknown: 'true' });
    expect(ignored.body.imported).toBe(1);
    expect(ignored.body.notices).toEqual([expect.objectContaining({ column: 'Weather', count: expect.any(Number) })]);
    expect(ignored.body.columns[2]).toEqual({ header: 'Weather', field: null });
    const mapped = await into(id, 'old_path,new_path,Weather\n/c,/d,sunny\n', {
      columns: '{"Weather":"group_id"}',
    });
    expect(mapped.body.imported).toBe(1);
    expect((await redirectsOf(owner, id))[0].group_id).toBe('sunny');
    for (const columns of ['{"Weather":"nonsense"}', '{"Weather":1}', '[]', '"x"', '{', 'null']) {
      const answer = await into(id, file, { columns });
      expect([columns, answer.status]).toEqual([columns, 422]);
    }
  });

  test('on_conflict=update updates existing redirects, and only the fields in the file', async () => {
    const id = await newWebsite(owner);
    const fields = { status_code: 302, group_id: 'g', notes: 'n', target_environments: 'staging' };
    const kept = await newRedirect(owner, { website_id: id, old_path: '/a', new_path: '/old', ...fields });
    const { body } = await into(id, 'old_path,new_path\n/a,/new\n/b,/c\n', { on_conflict: 'update' });
    expect(body).toMatchObject({ imported: 1, updated: 1, skipped: 0, error_count: 0 });
    const [created, updated] = await redirectsOf(owner, id);
    expect(updated).toMatchObject({ id: kept.id, new_path: '/new', ...fields });
    expect(created).toMatchObject({ old_path: '/b', status_code: 301, target_environments: 'production' });
    const same = await into(id, 'old_path,new_path\n/a,/new\n', { on_conflict: 'update' });
    expect(same.body).toMatchObject({ imported: 0, updated: 1 });
  });

  test('a path twice in one file: the first row decides, or with update the last', async () => {
    const file = 'old_path,new_path\n/a,/1\n/%61,/2\n/a,/3\n';
    const [skip, update] = [await newWebsite(owner), await newWebsite(owner)];
    expect((await into(skip, file)).body).toMatchObject({ imported: 1, skipped: 2, updated: 0 });
    expect((await into(update, file, { on_conflict: 'update' })).body).toMatchObject({
      imported: 1,
      updated: 2,
      skipped: 0,
    });
    expect((await redirectsOf(owner, skip))[0].new_path).toBe('/1');
    expect((await redirectsOf(owner, update))[0].new_path).toBe('/3');
  });

  test('dry_run returns the same counts and changes nothing; a viewer may request it', async () => {
    const id = await newWebsite(owner, { auto_deploy: true });
    await newRedirect(owner, { website_id: id, old_path: '/there', new_path: '/x' });
    await until(async () => (await redirectsOf(owner, id))[0].deployed_to_prod !== null);
    const before = await redirectsOf(owner, id);
    const events = (await eventsOf(detour, owner, id)).filter((each) => !each.event.startsWith('deployment.'));
    const file = 'old_path,new_path\n/there,/y\n/new,/z\nbad,/z\n';
    const viewer = await colleague(detour, owner, 'viewer');
    const fields = { website_id: String(id), dry_run: 'true' };
    const inForm = await viewer.call('POST', '/api/redirects/import', fileForm(file, {}, fields));
    const inQuery = await viewer.call('POST', `/api/redirects/import?dry_run=true&website_id=${id}`, fileForm(file));
    for (const { status, body } of [inForm, inQuery]) {
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({ imported: 1, skipped: 1, updated: 0, error_count: 1, deployments: [] }),
      ]);
    }
    expect(await redirectsOf(owner, id)).toEqual(before);
    const after = (await eventsOf(detour, owner, id)).filter((each) => !each.event.startsWith('deployment.'));
    expect(after).toEqual(events);
    for (const options of [{}, { dry_run: 'false' }]) {
      const refused = await viewer.call(
        'POST',
        '/api/redirects/import',
        fileForm(file, { website_id: String(id), ...options }),
      );
      expectRefusal(refused, 403, 'INSUFFICIENT_ROLE');
    }
    expect(await redirectsOf(owner, id)).toEqual(before);
    const editor = await colleague(detour, owner, 'editor');
    expect(
      (await editor.call('POST', '/api/redirects/import', fileForm(file, { website_id: String(id) }))).status,
    ).toBe(200);
  });

  test.each([
    [{ dry_run: 'yes' }, 'dry_run'],
    [{ dry_run: '' }, 'dry_run'],
    [{ on_conflict: 'replace' }, 'on_conflict'],
    [{ add_slash: '1' }, 'add_slash'],
    [{ ignore_unknown: 'TRUE' }, 'ignore_unknown'],
    [{ nonsense: 'x' }, 'nonsense'],
  ])('%j is 400, in the form and in the query', async (option, name) => {
    const id = await newWebsite(owner);
    const file = 'old_path,new_path\n/a,/b\n';
    const form = await into(id, file, option);
    const query = await owner.call(
      'POST',
      `/api/redirects/import?${new URLSearchParams({ website_id: String(id), ...option })}`,
      fileForm(file),
    );
    for (const answer of [form, query]) {
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(name);
    }
    expect(await redirectsOf(owner, id)).toEqual([]);
  });
});

test('options give rows their environments and group, and decide about wildcards', async () => {
  const id = await newWebsite(owner);
  const file = 'from,to,env,group\n/a*,/b,,\n/c,/d,development,own\n/e,/f,,\n';
  const given = { target_environments: 'staging', group_id: 'relaunch' };
  const { body } = await into(id, file, given);
  expect(body.errors.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual([
    [2, 'AMBIGUOUS_WILDCARD'],
  ]);
  await into(id, file, { ...given, wildcards: 'convert' });
  const rules: (Rule & Record<string, unknown>)[] = await redirectsOf(owner, id);
  const shown = rules.map(({ old_path, group_id, target_environments }) => [old_path, group_id, target_environments]);
  expect(shown.sort()).toEqual([
    ['/c', 'own', 'development'],
    ['/e', 'relaunch', 'staging'],
    ['^/a(.*)$', 'relaunch', 'staging'],
  ]);
});

test('an import is deployed to the environments that it changes, by the deployments in its response', async () => {
  const host = newHost();
  const id = await newWebsite(owner, {
    auto_deploy: true,
    hosts: [{ hostname: host, environment: 'production' }],
  });
  const { body } = await into(
    id,
    'old_path,new_path,environment,enabled\n/a,/b,production,yes\n/s,/t,staging,yes\n/d,/e,,no\n',
  );
  const deployments: { website_id: number; environment: string; status: string }[] = [];
  for (const deployment of body.deployments) {
    deployments.push(
      await until(async () => {
        const answer = await owner.call('GET', `/api/deployments/${deployment}`);
        return answer.body.deployment.status === 'completed' && answer.body.deployment;
      }),
    );
  }
  expect(deployments.map(({ environment }) => environment).sort()).toEqual(['production', 'staging']);
  expect((await detour.visit(host, '/a')).location).toBe('/b');
  expect((await detour.visit(host, '/d')).status).toBe(404);
});
