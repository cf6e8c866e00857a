/**
 * Commands against a server that responds as the service does: exit codes, output, and what is requested. Holds the
 * rules of src/cli/commands/deploy.ts, diff.ts, expectations.ts, export.ts, import.ts, login.ts, status.ts, sync.ts,
 * test.ts, undo.ts, src/cli/command.ts, deployments.ts, terminal.ts, src/cli/github/github.ts and
 * src/cli/sync/pick-columns.ts.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runAction } from '../../src/cli/github/github-action.ts';
import { run } from '../../src/cli/run.ts';
import { startStubApi, type StubAnswer, type StubApi, type StubRequest } from '../support/stub-api.ts';

const SHOP = {
  id: '1',
  name: 'Shop',
  hosts: [{ hostname: 'shop.example', environment: 'production' }],
  auto_deploy: true,
  held_environments: [],
};

let api: StubApi;
let folder: string;
/** Answers by `METHOD path`. A list is used up one by one, its last entry stays. */
let answers: Record<string, StubAnswer | StubAnswer[]>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'detour-cli-run-'));
  answers = { 'GET /websites': { body: { websites: [SHOP] } } };
  api = await startStubApi(({ method, path }) => {
    const found = answers[`${method} ${path.replace('/api/v1', '')}`];
    const missing = { status: 404, body: { error: 'Endpoint not found', code: 'NOT_FOUND' } };
    if (!Array.isArray(found)) return found ?? missing;
    return (found.length > 1 ? found.shift() : found[0]) ?? missing;
  });
});
afterEach(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command line without a terminal. */
async function detour(line: string, { input = '', env = {} }: { input?: string; env?: object } = {}) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = {
    env: { HOME: folder, DETOUR_URL: api.url, DETOUR_API_KEY: 'dtr_test', ...env },
    stdin: Readable.from([input]),
    stdout,
    stderr,
  };
  const outputs = Promise.all([text(stdout), text(stderr)]);
  const exit = await run(line.split(' '), io);
  stdout.end();
  stderr.end();
  const [out, err] = await outputs;
  return { exit, out, err };
}

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const requested = (method: string): StubRequest[] => api.requests.filter((request) => request.method === method);

const deployment = (status: string, more: object = {}) => ({
  body: {
    deployment: {
      id: 'dep_1',
      environment: 'production',
      status,
      version: status === 'completed' ? 5 : null,
      redirect_count: 12,
      changes: { added: 1, changed: 0, removed: 2 },
      warnings: [],
      error: null,
      ...more,
    },
  },
});

const synced = (more: object = {}) => ({
  body: {
    sync: { created: 1, updated: 0, deleted: 0, unchanged: 2 },
    revision: 9,
    change_id: 'chg_1',
    deployments: ['dep_1'],
    ...more,
  },
});

const GATE = {
  status: 200,
  body: {
    failures: [{ url: '/pay', expected: { status_code: 301, location: '/checkout' }, actual: { status_code: 404 } }],
  },
};

const TOO_MANY = {
  status: 409,
  body: {
    error: 'The sync would delete too many redirects',
    details: 'max_delete: 1,402 of 4,701 redirects would be deleted; send max_delete=1402',
    code: 'TOO_MANY_DELETES',
    sync: { created: 0, updated: 0, deleted: 1_402, unchanged: 3_299 },
    total: 4_701,
    max_delete: 470,
  },
};

describe('without arguments or with wrong ones', () => {
  test('prints the help', async () => {
    const { exit, out } = await detour('help');
    expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringContaining('Commands:\n') });
    expect((await detour('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    ['foo', 'unknown command "foo"'],
    ['sync', 'an argument is missing'],
    ['sync absent.csv', 'absent.csv does not exist'],
    ['sync nginx', '--out is missing'],
    ['sync caddy --out x --reload y', '--test is missing; `true` does nothing'],
    ['sync --yes nginx', '"nginx" is a server: write `detour sync nginx` first, or ./nginx for a file'],
    ['sync nginx --format csv', "Unknown option '--format'"],
    ['sync redirects', 'the format of "redirects" is unknown'],
    ['diff -', 'the format of standard input is unknown'],
    ['deploy -e live', '--environment must be one of production, staging, development; it is "live"'],
    ['deploy --max-removals x', '--max-removals must be a count'],
    ['rollback one', 'VERSION must be the number of a version; it is "one"'],
    ['deploy --timeout 0', '--timeout must be an integer of at least 1'],
    ['test', 'name URLs to test, or add --expectations'],
    ['test /a --expectations', 'name URLs to test, or add --expectations'],
    ['test /a --against soon', '--against must be live, draft or the number'],
    ['undo', 'name one change: its id, such as chg_..., or --last'],
    ['undo chg_1 --last', 'name one change'],
    ['export --etag x', '--etag needs --output'],
    ['export --columns a,b --format json', '--columns needs csv or ndjson'],
    ['expectations push e.csv --gate live', '--gate must be off, or a list of production'],
    ['export --version 0', '--version must be live, draft or the number'],
    ['login --url x', 'the URL must be that of the service'],
    ['login', 'add --url'],
  ])('%s ends with 2', async (line, message) => {
    const { exit, out, err } = await detour(line, { env: line === 'login' ? { DETOUR_URL: '' } : {} });
    expect({ exit, out, err }).toEqual({ exit: 2, out: '', err: expect.stringContaining(`detour: ${message}`) });
    expect(requested('POST')).toEqual([]);
  });

  test('prints an error as JSON with --json, and as text on standard error', async () => {
    const { exit, out, err } = await detour('foo --json');
    expect(err).toContain('unknown command');
    expect(JSON.parse(out)).toMatchObject({ error: expect.stringContaining('unknown command'), exit });
  });
});

describe('login', () => {
  const env = { DETOUR_URL: '', DETOUR_API_KEY: '' };

  test('verifies the key from standard input and stores it', async () => {
    const { exit, out } = await detour(`login --url ${api.url}`, { input: 'dtr_secret1\n', env });
    expect(exit).toBe(0);
    expect(out).toContain('(1 website)');
    expect(out).not.toContain('dtr_secret1');
    expect(api.requests[0]?.headers.authorization).toBe('Bearer dtr_secret1');
    answers['GET /deployments'] = { body: { deployments: [] } };
    answers['GET /deployments/diff'] = { body: { counts: { added: 0, changed: 0, removed: 0 } } };
    expect((await detour('status', { env })).out).toBe('Shop (1)\n  production (shop.example): nothing is deployed\n');
  });

  test('stores no key that the service rejects', async () => {
    answers['GET /websites'] = { status: 401, body: { error: 'Authentication is required', code: 'UNAUTHORIZED' } };
    expect((await detour(`login --url ${api.url}`, { input: 'dtr_secret1\n', env })).exit).toBe(1);
    expect(existsSync(join(folder, '.config'))).toBe(false);
  });

  test('names what is not a key', async () => {
    const { exit, err } = await detour(`login --url ${api.url}`, { input: 'hunter2\n', env });
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining('this is not an API key') });
    expect(api.requests).toEqual([]);
  });
});

describe('diff', () => {
  const changes = [{ kind: 'created', old_path: '/a', before: null, after: { new_path: '/b', status_code: 301 } }];

  test('is a dry run of the sync', async () => {
    answers['PUT /websites/1/redirects'] = synced({ changes, deployments: [] });
    const { exit, out } = await detour(`diff ${file('a.csv', 'x,y\n')} --group g --max-delete 20%`);
    expect({ exit, out }).toEqual({ exit: 0, out: '+ /a  /b 301\n1 created, 0 updated, 0 deleted, 2 unchanged\n' });
    expect(requested('PUT')).toMatchObject([
      {
        query: { dry_run: 'true', group_id: 'g', max_delete: '20%' },
        headers: { 'content-type': 'text/csv' },
        body: 'x,y\n',
      },
    ]);
  });

  test('ends with 3 if the guard would refuse it, and still lists the changes', async () => {
    answers['PUT /websites/1/redirects'] = [TOO_MANY, synced({ changes })];
    const { exit, out } = await detour(`diff ${file('a.csv', '')} --markdown`);
    expect(exit).toBe(3);
    expect(out).toContain('> **Refused:** the sync would delete 1,402 of 4,701 redirects, and may delete 470;');
    expect(out).toContain('To apply it, add --max-delete 1402');
    expect(out).not.toContain('max\\_delete');
    expect(out).toContain('| + | `/a` |');
    expect(requested('PUT')[1]?.query).toEqual({ dry_run: 'true', max_delete: '100%' });
  });

  test('prints the plan and the refusal as JSON', async () => {
    answers['PUT /websites/1/redirects'] = [TOO_MANY, synced({ changes })];
    const { exit, out } = await detour(`diff ${file('a.csv', '')} --json`);
    expect(exit).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ sync: { created: 1 }, refused: { code: 'TOO_MANY_DELETES' } });
  });

  test('ends with 3 if the redirects would have a loop or fail the gate', async () => {
    const loops = [{ environment: 'production', code: 'REDIRECT_LOOP', old_paths: ['/l1', '/l2'] }];
    const gate = [{ environment: 'staging', passed: 2, failed: 1, ...GATE.body }];
    answers['PUT /websites/1/redirects'] = synced({ changes, loops, gate });
    const lines = [
      'production: loop /l1 -> /l2 -> /l1',
      'staging: the gate would refuse the deployment, 1 of 3 expectations would fail',
      '  /pay: expected 301 to /checkout, got 404 (no redirect)',
    ].join('\n');
    for (const line of ['diff', 'diff --markdown', 'sync --dry-run']) {
      const { exit, out } = await detour(`${line} ${file('a.csv', 'x,y\n')}`);
      expect([exit, out]).toEqual([3, expect.stringContaining(lines)]);
    }
    answers['PUT /websites/1/redirects'] = synced({
      changes,
      loops: [],
      gate: [{ ...gate[0], failed: 0, failures: [] }],
    });
    expect((await detour(`diff ${file('a.csv', 'x,y\n')}`)).exit).toBe(0);
    const slow = [{ environment: 'staging', passed: 2, failed: 0, failures: [], cut_short: true }];
    answers['PUT /websites/1/redirects'] = synced({ changes, loops: [], gate: slow });
    expect((await detour(`diff ${file('a.csv', 'x,y\n')}`)).exit).toBe(3);
  });

  test('lists every change that the service lists', async () => {
    const many = Array.from({ length: 369 }, (_, at) => ({ ...changes[0], old_path: `/${at}` }));
    answers['PUT /websites/1/redirects'] = synced({ changes: many });
    const { out } = await detour(`diff ${file('a.csv', 'x,y\n')}`);
    expect(out.match(/^\+ /gm)).toHaveLength(369);
  });
});

describe('sync', () => {
  test('does not deploy what a rollback holds, unless --resume is given', async () => {
    answers['GET /websites'] = { body: { websites: [{ ...SHOP, held_environments: ['production'] }] } };
    answers['PUT /websites/1/redirects'] = synced({ deployments: [] });
    answers['GET /deployments/diff'] = { body: { counts: { added: 1, changed: 0, removed: 0 } } };
    const body = { error: 'A rollback or promotion holds the environment', code: 'ENVIRONMENT_HELD' };
    answers['POST /deployments'] = [{ status: 409, body }, { status: 409, body }, deployment('queued')];
    answers['GET /deployments/dep_1'] = deployment('completed');
    const line = `sync ${file('a.csv', '')} --deploy production`;
    const { exit, out } = await detour(`${line} --undo-on-refusal`);
    expect(exit).toBe(3);
    expect(out).toContain('1 created, 0 updated, 0 deleted, 2 unchanged (change chg_1, revision 9)\n');
    expect(out).toContain('production: not deployed, because a rollback or promotion holds it;');
    const refused = await detour('deploy');
    expect([refused.exit, refused.err]).toEqual([3, expect.stringContaining('add --resume')]);
    expect((await detour(`${line} --resume`)).exit).toBe(0);
    const sent = requested('POST').map(({ body: each }) => JSON.parse(each).resume);
    expect(sent).toEqual([false, false, true]);
  });

  test('names the values that it clears, and the options of a refusal', async () => {
    answers['PUT /websites/1/redirects'] = synced({ cleared: { notes: 412 }, deployments: [], changes: [] });
    const name = file('a.csv', '');
    const { out } = await detour(`sync ${name} --dry-run --fields notes,status_code`);
    expect(out).toContain('cleared, because the file has no value: notes (412)\n');
    expect(requested('PUT')[0]?.query).toMatchObject({ fields: 'notes,status_code' });
    const counts = { total: 4_701, max_delete: 470, cleared: { notes: 1_412 }, sync: { deleted: 0 } };
    answers['PUT /websites/1/redirects'] = { status: 409, body: { error: 'x', code: 'TOO_MANY_DELETES', ...counts } };
    const { exit, err } = await detour(`sync ${name}`);
    expect(exit).toBe(3);
    expect(err).toContain('the sync would clear notes (1,412) of 4,701 redirects, and may clear 470 of a field;');
    expect(err).toContain('add --max-delete 1412');
  });

  test('applies the file and waits until it is live', async () => {
    answers['PUT /websites/1/redirects'] = synced();
    answers['GET /deployments/dep_1'] = [deployment('queued'), deployment('running'), deployment('completed')];
    const { exit, out } = await detour(
      `sync ${file('a.ndjson', '{}\n')} --if-revision 8 --if-history h8 -w shop.example`,
    );
    expect({ exit, out }).toEqual({
      exit: 0,
      out:
        '1 created, 0 updated, 0 deleted, 2 unchanged (change chg_1, revision 9)\n' +
        'production: version 5 is live with 12 rules (1 added, 0 changed, 2 removed)\n',
    });
    expect(requested('PUT')).toMatchObject([
      { query: { if_revision: '8', if_history: 'h8' }, headers: { 'content-type': 'application/x-ndjson' } },
    ]);
  });

  test.each([
    ['a guard', TOO_MANY],
    ['another revision', { status: 409, body: { error: 'The website has changed', code: 'REVISION_CHANGED' } }],
  ])('ends with 3 for %s', async (_name, answer) => {
    answers['PUT /websites/1/redirects'] = answer;
    const { exit, out } = await detour(`sync ${file('a.csv', '')} --json`);
    expect({ exit, code: JSON.parse(out).code }).toEqual({ exit: 3, code: answer.body.code });
  });

  test('names its own options when another revision refuses it', async () => {
    const body = { error: 'The redirects have changed', details: 'send if_revision=9', code: 'REVISION_CHANGED' };
    answers['PUT /websites/1/redirects'] = { status: 409, body: { ...body, revision: 9, history: 'h9' } };
    const name = file('a.csv', '');
    const { exit, err } = await detour(`sync ${name} --if-revision 8 --if-history h8`);
    expect(exit).toBe(3);
    expect(err).toContain(`the website is at revision 9 now, with other redirects; nothing was changed. Run`);
    expect(err).toContain(`\`detour diff ${name}\`, then add --if-revision 9 --if-history h9\n`);
  });

  test('says which environments keep other redirects after a rollback', async () => {
    answers['GET /websites'] = { body: { websites: [{ ...SHOP, held_environments: ['production'] }] } };
    answers['PUT /websites/1/redirects'] = synced({ deployments: [] });
    const held = 'visitors get these redirects after `detour deploy --resume --environment production`\n';
    for (const line of ['sync', 'diff', 'sync --dry-run'])
      expect((await detour(`${line} ${file('a.csv', '')}`)).out).toContain(held);
  });

  test('ends with 3 and the failures if the gate refuses it', async () => {
    answers['PUT /websites/1/redirects'] = synced();
    answers['GET /deployments/dep_1'] = deployment('failed', { error: '1 of 3 expectations failed' });
    answers['GET /deployments/dep_1/failures'] = GATE;
    const { exit, out } = await detour(`sync ${file('a.csv', '')}`);
    expect(exit).toBe(3);
    expect(out).toContain('production: the deployment failed: 1 of 3 expectations failed\n');
    expect(out).toContain('  /pay: expected 301 to /checkout, got 404 (no redirect)\n');
    expect(out).toContain('run `detour undo chg_1`');
    expect(requested('POST')).toEqual([]);
  });

  test('undoes itself with --undo-on-refusal', async () => {
    answers['PUT /websites/1/redirects'] = synced();
    answers['GET /deployments/dep_1'] = deployment('failed', { error: '1 of 3 expectations failed' });
    answers['GET /deployments/dep_1/failures'] = GATE;
    answers['POST /changes/chg_1/undo'] = {
      body: { undo: { restored: 0, recreated: 0, deleted: 1, conflicts: 0 }, conflicts: [], change_id: 'chg_2' },
    };
    const { exit, out } = await detour(`sync ${file('a.csv', '')} --undo-on-refusal --json`);
    expect(exit).toBe(3);
    expect(JSON.parse(out)).toMatchObject({ change_id: 'chg_1', undone: { change_id: 'chg_2' } });
  });

  test('sends the list of a JSON file, and gzip as it is', async () => {
    answers['PUT /websites/1/redirects'] = synced({ deployments: [] });
    await detour(`sync ${file('a.json', JSON.stringify({ redirects: [{ old_path: '/a' }, { old_path: '/b' }] }))}`);
    await detour(`sync ${file('a.csv.gz', gzipSync('x'))}`);
    await detour('sync - --format csv', { input: 'old_path\n/a\n' });
    expect(
      requested('PUT').map(({ headers, body }) => [headers['content-type'], headers['content-encoding'], body]),
    ).toEqual([
      ['application/x-ndjson', undefined, '{"old_path":"/a"}\n{"old_path":"/b"}\n'],
      ['text/csv', 'gzip', expect.any(String)],
      ['text/csv', undefined, 'old_path\n/a\n'],
    ]);
  });

  test.each([
    ['a.json', '{', 'is not valid JSON'],
    ['a.json', '{"items": []}', 'must be a list, or an object with the list "redirects"'],
  ])('explains a wrong %s: %s', async (name, content, message) => {
    const { exit, err } = await detour(`sync ${file(name, content)}`);
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining(message) });
  });
});

describe('deploy, promote and rollback', () => {
  test('wait until the version is live', async () => {
    answers['POST /deployments'] = { status: 202, body: deployment('queued').body };
    answers['GET /deployments/dep_1'] = deployment('completed');
    const { exit, out } = await detour('deploy -e staging --note hello --force --max-removals 10% --json');
    expect({ exit, json: JSON.parse(out) }).toMatchObject({ exit: 0, json: { deployment: { version: 5 } } });
    expect(JSON.parse(requested('POST')[0]?.body ?? '')).toEqual({
      website_id: '1',
      environment: 'staging',
      resume: false,
      note: 'hello',
      force: true,
      max_removals: '10%',
    });
  });

  test('end with 1 if the deployment fails for another reason than the gate', async () => {
    answers['POST /deployments'] = { status: 202, body: deployment('queued').body };
    answers['GET /deployments/dep_1'] = deployment('failed', { error: 'a loop' });
    const { exit, out } = await detour('deploy');
    expect({ exit, out }).toEqual({ exit: 1, out: 'production: the deployment failed: a loop\n' });
  });

  test('end with 3 if too many rules would be removed', async () => {
    answers['POST /deployments/promote'] = { status: 409, body: { error: 'Too many', code: 'TOO_MANY_REMOVALS' } };
    expect((await detour('promote --from staging --to production --max-removals 5')).exit).toBe(3);
    expect(JSON.parse(requested('POST')[0]?.body ?? '')).toMatchObject({
      from: 'staging',
      to: 'production',
      max_removals: 5,
    });
  });

  test('roll back to the version before the live one by default', async () => {
    answers['GET /deployments'] = { body: { deployments: [{ version: null }, { version: 7 }, { version: 6 }] } };
    answers['POST /deployments/rollback'] = { status: 202, body: deployment('queued').body };
    const { exit, out } = await detour('rollback --no-wait');
    expect({ exit, out }).toEqual({ exit: 0, out: 'production: queued as dep_1\n' });
    expect(JSON.parse(requested('POST')[0]?.body ?? '')).toMatchObject({ version: 6, environment: 'production' });
  });

  test('end with 1 after --timeout', async () => {
    answers['POST /deployments'] = { status: 202, body: deployment('queued').body };
    answers['GET /deployments/dep_1'] = deployment('running');
    const { exit, err } = await detour('deploy --timeout 1');
    expect({ exit, err }).toEqual({ exit: 1, err: expect.stringContaining('dep_1 is running after 1 s') });
  });
});

describe('undo', () => {
  const change = (id: string, kind: string, undone_by: string | null = null) => ({
    id,
    kind,
    undone_by,
    actor: { name: 'ci' },
    counts: { created: 0, updated: 3, deleted: 0 },
    created_at: '2026-11-23T00:00:00Z',
  });
  const undone = (conflicts: object[] = [], deployments: string[] = []) => ({
    body: {
      undo: { restored: 3, recreated: 0, deleted: 0, conflicts: conflicts.length },
      conflicts,
      change_id: 'chg_9',
      deployments,
    },
  });

  test('--last takes the last change that is not undone and not an undo', async () => {
    answers['GET /changes'] = {
      body: { changes: [change('chg_4', 'undo'), change('chg_3', 'sync', 'chg_4'), change('chg_2', 'sync')] },
    };
    answers['POST /changes/chg_2/undo'] = undone([], ['dep_1']);
    answers['GET /deployments/dep_1'] = deployment('completed');
    const { exit, out } = await detour('undo --last --yes');
    expect({ exit, out }).toEqual({
      exit: 0,
      out:
        'undone chg_2: 3 restored, 0 recreated, 0 deleted\n' +
        'production: version 5 is live with 12 rules (1 added, 0 changed, 2 removed)\n',
    });
  });

  test('--last without a terminal needs --yes', async () => {
    answers['GET /changes'] = { body: { changes: [change('chg_2', 'sync')] } };
    const { exit, err } = await detour('undo --last');
    expect({ exit, err }).toEqual({ exit: 2, err: expect.stringContaining('add --yes') });
    expect(requested('POST')).toEqual([]);
  });

  test('ends with 3 and names the redirects that stay', async () => {
    answers['POST /changes/chg_2/undo'] = undone([{ redirect_id: '1', old_path: '/a', code: 'CHANGED_SINCE' }]);
    const { exit, out } = await detour('undo chg_2 --dry-run');
    expect({ exit, out }).toEqual({
      exit: 3,
      out: 'would undo chg_2: 3 restored, 0 recreated, 0 deleted, 1 not undone\n  /a: not undone, it was changed since\n',
    });
    expect(JSON.parse(requested('POST')[0]?.body ?? '')).toEqual({ dry_run: true });
  });
});

describe('test', () => {
  const tested = (url: string, more: object) => ({
    url,
    outcome: 'end',
    redirect_id: '4',
    final_url: '/b',
    hops: 1,
    ...more,
  });

  test('shows what visitors get for each URL', async () => {
    answers['POST /redirects/test'] = {
      body: {
        results: [
          tested('/a', { status_code: 301, location: '/b' }),
          tested('/c', { status_code: 302, location: '/a' }),
          tested('/x', { status_code: 404, location: null, redirect_id: null, final_url: '/x' }),
        ],
      },
    };
    const { exit, out } = await detour('test - --against draft', { input: '/a\n\n/c\r\n/x' });
    expect({ exit, out }).toEqual({
      exit: 0,
      out: '301 /a -> /b\n302 /c -> /a (ends at /b)\n404 /x (no redirect)\n',
    });
    expect(JSON.parse(requested('POST')[0]?.body ?? '')).toEqual({
      website_id: '1',
      against: 'draft',
      urls: ['/a', '/c', '/x'],
    });
  });

  test('ends with 1 if a stored expectation fails', async () => {
    const run = { passed: 2, failed: 1, duration_ms: 3 };
    answers['POST /websites/1/expectations/run'] = { body: { run, failures: GATE.body.failures } };
    const { exit, out } = await detour('test --expectations --against 4');
    expect({ exit, out }).toEqual({
      exit: 1,
      out: '  /pay: expected 301 to /checkout, got 404 (no redirect)\n2 passed, 1 failed\n',
    });
    expect(JSON.parse(requested('POST')[0]?.body ?? '')).toEqual({ environment: 'production', against: 4 });
  });
});

describe('export', () => {
  test('replaces the file only once the export is complete', async () => {
    const path = file('redirects.csv', 'former');
    answers['GET /redirects/bulk/export'] = [{ breakAfter: 'half' }, { body: 'new', headers: { etag: '"7"' } }];
    expect((await detour(`export -o ${path}`)).exit).toBe(1);
    expect(readFileSync(path, 'utf8')).toBe('former');
    expect((await detour(`export -o ${path}`)).exit).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['redirects.csv']);
  });

  test('writes to standard output without anything else', async () => {
    answers['GET /redirects/bulk/export'] = { body: 'a,b\n' };
    expect(await detour('export --format nginx --version 3 -w shop')).toEqual({ exit: 0, out: 'a,b\n', err: '' });
    expect(api.requests.at(-1)?.query).toEqual({ website_id: '1', format: 'nginx', version: '3' });
  });

  test('writes chosen columns, and nothing if the connection breaks off', async () => {
    const entries = [
      { old_path: '/a', new_path: '/b,"c"', notes: null, target_environments: ['production', 'staging'] },
      { old_path: '/d', new_path: null, notes: '=1+1', target_environments: [] },
    ].map((entry) => JSON.stringify(entry));
    answers['GET /redirects/bulk/export'] = { body: `${entries.join('\n')}\n` };
    const { out } = await detour('export --columns old_path,new_path,notes,target_environments');
    expect(out).toBe('old_path,new_path,notes,target_environments\n/a,"/b,""c""",,"production,staging"\n/d,, =1+1,\n');
    expect(api.requests.at(-1)?.query).toMatchObject({ format: 'ndjson' });
    const lines = await detour('export --columns old_path --format ndjson');
    expect(lines.out).toBe('{"old_path":"/a"}\n{"old_path":"/d"}\n');
    answers['GET /redirects/bulk/export'] = { breakAfter: `${entries[0]}\n` };
    expect((await detour(`export --columns old_path -o ${join(folder, 'x.csv')}`)).exit).toBe(1);
    expect(existsSync(join(folder, 'x.csv'))).toBe(false);
  });

  test('downloads only what has changed with --etag', async () => {
    const [path, etag] = [join(folder, 'a.ndjson'), join(folder, 'etag')];
    answers['GET /redirects/bulk/export'] = [{ body: 'x', headers: { etag: '"7"' } }, { status: 304 }];
    await detour(`export -o ${path} --etag ${etag}`);
    const { exit, out } = await detour(`export -o ${path} --etag ${etag}`);
    expect({ exit, out }).toEqual({ exit: 0, out: `${path} is current\n` });
    expect(api.requests.at(-1)?.headers['if-none-match']).toBe('"7"');
    rmSync(path);
    await detour(`export -o ${path} --etag ${etag}`);
    expect(api.requests.at(-1)?.headers['if-none-match']).toBeUndefined();
  });
});

describe('for GitHub', () => {
  const github = () => ({
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    GITHUB_OUTPUT: join(folder, 'output'),
    'INPUT_API-KEY': 'dtr_action',
    INPUT_URL: api.url,
  });

  /** Runs the action as the runner does: inputs as variables, without arguments. */
  async function action(env: object) {
    const stdout = new PassThrough();
    const printed = text(stdout);
    const io = { stdin: Readable.from([]), stdout, stderr: new PassThrough() };
    const exit = await runAction({ env: { HOME: folder, ...github(), ...env }, ...io });
    stdout.end();
    return { exit, out: await printed };
  }

  test('the summary and the outputs of a step are appended, also for JSON', async () => {
    answers['PUT /websites/1/redirects'] = synced({ change_id: null, deployments: [], changes: [] });
    const { out } = await detour(`diff ${file('a.csv', '')} --github --json`, { env: github() });
    expect(JSON.parse(out)).toMatchObject({ revision: 9 });
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('### Redirects of Shop\n');
    expect(readFileSync(join(folder, 'output'), 'utf8')).toBe(
      'result=done\ncreated=1\nupdated=0\ndeleted=0\nunchanged=2\nrevision=9\n',
    );
  });

  test('an error becomes an annotation of one line', async () => {
    answers['PUT /websites/1/redirects'] = { status: 409, body: { error: '100% changed', details: 'a\nb', code: 'X' } };
    const { exit, out } = await detour(`sync ${file('a.csv', '')} --github`, { env: github() });
    expect({ exit, out }).toEqual({ exit: 3, out: '::error title=Detour::100%25 changed: a%0Ab\n' });
    expect(readFileSync(join(folder, 'output'), 'utf8')).toBe('result=refused\n');
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toBe('```text\n100% changed: a\nb\n```\n');
  });

  test('the action shows the plan of a pull request', async () => {
    answers['PUT /websites/1/redirects'] = synced({ changes: [] });
    const env = { GITHUB_EVENT_NAME: 'pull_request', INPUT_FILE: file('a.csv', 'x'), INPUT_WEBSITE: 'shop.example' };
    expect((await action({ ...env, 'INPUT_MAX-DELETE': '20%' })).exit).toBe(0);
    expect(requested('PUT')).toMatchObject([
      { query: { dry_run: 'true', max_delete: '20%' }, headers: { authorization: 'Bearer dtr_action' } },
    ]);
    const summary = readFileSync(join(folder, 'summary.md'), 'utf8');
    expect(summary).toContain('**1 created, 0 updated, 0 deleted, 2 unchanged**');
  });

  test('the action ends a pull request with 3 if the file has a loop', async () => {
    const loops = [{ environment: 'production', code: 'REDIRECT_LOOP', old_paths: ['/l1'] }];
    answers['PUT /websites/1/redirects'] = synced({ changes: [], loops, gate: [] });
    const { exit, out } = await action({ GITHUB_EVENT_NAME: 'pull_request', INPUT_FILE: file('a.csv', 'x') });
    expect(exit).toBe(3);
    expect(out).toContain('::error title=Detour::');
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('production: loop /l1 -> /l1');
  });

  test('the action stores expectations, then syncs and deploys after a merge', async () => {
    answers['GET /websites'] = { body: { websites: [{ ...SHOP, auto_deploy: false }] } };
    answers['PUT /websites/1/expectations'] = { body: { created: 1, updated: 0, deleted: 0 } };
    answers['PUT /websites/1/redirects'] = synced({ deployments: [] });
    answers['GET /deployments/diff'] = { body: { counts: { added: 1, changed: 0, removed: 0 } } };
    answers['POST /deployments'] = { status: 202, body: deployment('queued').body };
    answers['GET /deployments/dep_1'] = deployment('completed');
    const env = { GITHUB_EVENT_NAME: 'push', INPUT_FILE: file('a.csv', ''), INPUT_DEPLOY: 'production' };
    const { exit, out } = await action({ ...env, INPUT_EXPECTATIONS: file('e.csv', '') });
    expect(exit).toBe(0);
    expect(out).toContain('production: version 5 is live');
    expect(requested('PUT').map(({ path }) => path.split('/').at(-1))).toEqual(['expectations', 'redirects']);
    expect(readFileSync(join(folder, 'output'), 'utf8')).toContain('change-id=chg_1\n');
  });

  test.each([
    [{ 'INPUT_API-KEY': '' }, 'the input api-key is empty; workflows of forks'],
    [{ INPUT_URL: '' }, 'the input url is empty'],
    [{ INPUT_MODE: 'plan' }, 'the input mode must be auto, diff or sync'],
  ])('the action explains %j', async (env, message) => {
    expect(await action(env)).toEqual({ exit: 2, out: expect.stringContaining(`::error title=Detour::${message}`) });
    expect(api.requests).toEqual([]);
  });

  test('action.yml describes every input and output that the action has', () => {
    const root = join(import.meta.dirname, '../..');
    const { inputs, outputs, runs } = parse(readFileSync(join(root, 'action.yml'), 'utf8'));
    const source = readFileSync(join(root, 'src/cli/github/github-action.ts'), 'utf8');
    for (const name of Object.keys(inputs)) expect(source).toContain(`'${name}'`);
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(['result', 'created', 'change-id']));
    expect(existsSync(join(root, runs.main))).toBe(true);
  });
});

describe('import and expectations', () => {
  test('an import with invalid entries ends with 1 and lists them', async () => {
    answers['POST /redirects/bulk'] = {
      body: {
        summary: { total_submitted: 3, created: 2, updated: 0, errors: 1 },
        errors: [{ index: 2, old_path: '/x', code: 'REDIRECT_LOOP', message: 'leads to itself' }],
        deployments: [],
        change_id: 'chg_1',
      },
    };
    const { exit, out } = await detour(`import ${file('a.ndjson', '')} --environments production,staging --strict`);
    expect({ exit, out }).toEqual({
      exit: 1,
      out: 'created 2, updated 0, invalid 1 (change chg_1)\n  entry 3 (/x): leads to itself\n',
    });
    expect(requested('POST')[0]?.query).toEqual({
      website_id: '1',
      strict: 'true',
      target_environments: 'production,staging',
    });
  });

  test('expectations are replaced by those of a file, and printed page by page', async () => {
    answers['PUT /websites/1/expectations'] = { body: { created: 2, updated: 0, deleted: 1 } };
    const { out } = await detour(`expectations push ${file('e.csv', 'url,status_code\n')}`);
    expect(out).toBe('2 created, 0 updated, 1 deleted\n');
    answers['PUT /websites/1'] = { body: { website: SHOP } };
    const gated = await detour(`expectations push ${file('e.csv', '')} --gate production,staging`);
    expect(gated.out).toBe('2 created, 0 updated, 1 deleted; gated: production, staging\n');
    expect(JSON.parse(requested('PUT').at(-1)?.body ?? '')).toEqual({ gated_environments: ['production', 'staging'] });
    answers['GET /websites/1/expectations'] = [
      { body: { expectations: [{ url: '/a' }], next_cursor: 'c' } },
      { body: { expectations: [{ url: '/b' }], next_cursor: null } },
    ];
    expect((await detour('expectations pull')).out).toBe('{"url":"/a"}\n{"url":"/b"}\n');
    expect(api.requests.at(-1)?.query).toMatchObject({ cursor: 'c' });
  });
});
