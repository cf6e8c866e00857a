/**
 * Syncs: afterwards the redirects of a website or group are exactly those of the body. Holds the rules of
 * src/redirects/import/sync/merge-sync.ts, sync-errors.ts and sync-plan.ts.
 */
import { gzipSync } from 'node:zlib';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, sharedTestDetour, type TestAccount, type TestDetour } from '../../../support/detour.ts';
import { seeded } from '../../../support/random.ts';
import { inSoak } from '../../../support/soak.ts';
import { until } from '../../../support/wait.ts';
import { eventsOf } from '../../../surfaces/session-api/site.ts';

interface Rule {
  old_path: string;
  new_path: string | null;
  status_code: number;
  is_regex: boolean;
  group_id: string | null;
  notes: string | null;
  target_environments: string[];
  active_from?: string | null;
  active_until?: string | null;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- responses of any shape
type Body = any;

let detour: TestDetour;
let owner: TestAccount;
let sites = 0;
beforeAll(async () => {
  detour = await sharedTestDetour();
  owner = await detour.account();
});
afterAll(() => detour.stop());

async function site(rules: object[] = [], more: object = {}): Promise<{ id: string; host: string }> {
  const host = `sync${++sites}.example.com`;
  const hosts = [{ hostname: host, environment: 'production' }];
  const { body } = await owner.call('POST', '/api/websites', { name: host, hosts, ...more });
  const id = String(body.website.id);
  if (rules.length > 0) await owner.keyCall('POST', '/api/v1/redirects/bulk', { website_id: id, redirects: rules });
  return { id, host };
}

const rule = (old_path: string, more: Partial<Rule> = {}) => ({ old_path, new_path: '/to', ...more });
const rules = (count: number, more: Partial<Rule> = {}) =>
  Array.from({ length: count }, (_, n) => rule(`/n/${n}`, more));

function sync(id: string, redirects: object[], query = ''): Promise<Answer<Body>> {
  return owner.keyCall('PUT', `/api/v1/websites/${id}/redirects${query}`, { redirects });
}

async function sendBody(
  id: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
  query = '',
) {
  const answer = await fetch(`${detour.address}/api/v1/websites/${id}/redirects${query}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.key}`, ...headers },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as Body };
}

/** Every redirect as the export has it, without the time of its deployment, by path. */
async function exported(id: string): Promise<(Rule & { id: string; created_at: string })[]> {
  const { body } = await owner.keyCall('GET', `/api/v1/redirects/bulk/export?website_id=${id}`);
  return body.redirects
    .map(({ deployed_to_prod: _, ...redirect }: Rule & { deployed_to_prod: unknown }) => redirect)
    .toSorted((a: Rule, b: Rule) => (a.old_path < b.old_path ? -1 : 1));
}

const fieldsOf = ({ old_path, new_path, status_code, is_regex, group_id, notes, ...rule }: Rule): Rule => ({
  ...{ old_path, new_path, status_code, is_regex, group_id, notes },
  target_environments: rule.target_environments,
  active_from: rule.active_from ?? null,
  active_until: rule.active_until ?? null,
});
const revisionOf = async (id: string): Promise<number> =>
  (await owner.call('GET', `/api/websites/${id}`)).body.website.revision;

describe('200', () => {
  test('creates, changes and deletes, and each redirect has exactly the fields of the body', async () => {
    const { id, host } = await site([
      rule('/same', { notes: 'kept', group_id: 'g' }),
      rule('/less', { notes: 'gone', status_code: 302, group_id: 'g', target_environments: ['staging'] }),
      rule('/%73pelled'),
      rule('/removed'),
    ]);
    const before = await exported(id);
    const windows = { active_from: null, active_until: null };
    const body = [
      rule('/same', {
        notes: 'kept',
        group_id: 'g',
        status_code: 301,
        target_environments: ['production'],
        ...windows,
      }),
      ...[rule('/less'), rule('/spelled'), rule('/new')],
    ];
    const answer = await sync(id, body);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        sync: { created: 1, updated: 2, deleted: 1, unchanged: 1 },
        cleared: { status_code: 1, group_id: 1, notes: 1, target_environments: 1 },
        revision: 2,
        history: expect.stringMatching(/^[0-9a-f-]{36}$/),
        change_id: expect.stringMatching(/^chg_/),
        deployments: [expect.stringMatching(/^dep_/), expect.stringMatching(/^dep_/)],
        import_id: expect.stringMatching(/^imp_/),
      },
    ]);
    const after = await exported(id);
    const window = { active_from: null, active_until: null };
    const plain = { new_path: '/to', status_code: 301, is_regex: false, group_id: null, notes: null, ...window };
    expect(after.map(fieldsOf)).toEqual([
      { old_path: '/less', ...plain, target_environments: ['production'] },
      { old_path: '/new', ...plain, target_environments: ['production'] },
      { old_path: '/same', ...plain, notes: 'kept', group_id: 'g', target_environments: ['production'] },
      { old_path: '/spelled', ...plain, target_environments: ['production'] },
    ]);
    const idOf = (list: typeof after, path: string) => list.find((each) => each.old_path === path)?.id;
    expect(idOf(after, '/less')).toBe(idOf(before, '/less'));
    expect(after.find(({ old_path }) => old_path === '/same')).toEqual(
      before.find(({ old_path }) => old_path === '/same'),
    );
    await until(async () => (await detour.visit(host, '/new')).status === 301);
    expect((await detour.visit(host, '/removed')).status).toBe(404);
    const stored = await owner.keyCall('GET', `/api/v1/imports/${answer.body.import_id}`);
    expect(stored.body.import).toMatchObject({
      source: 'sync',
      status: 'completed',
      summary: { total_submitted: 4, created: 1, updated: 2, skipped: 0, errors: 0, deleted: 1, unchanged: 1 },
    });
    const events = (await eventsOf(detour, owner)).filter(({ event }) => event === 'bulk_import.completed');
    expect(events[0]).toMatchObject({ data: { import: { import_id: answer.body.import_id, source: 'sync' } } });
  });

  test('a body without differences changes nothing, not even the revision', async () => {
    const { id } = await site(rules(20));
    const revision = await revisionOf(id);
    const before = await exported(id);
    const { body } = await sync(id, before, `?if_revision=${revision}`);
    expect([body.sync, body.revision, body.deployments]).toEqual([
      { created: 0, updated: 0, deleted: 0, unchanged: 20 },
      revision,
      [],
    ]);
    expect([await exported(id), await revisionOf(id)]).toEqual([before, revision]);
  });

  test('takes JSON lines, CSV, gzip, and an export as it is', async () => {
    const { id } = await site(rules(3));
    const lines = [rule('/n/0'), rule('/n/1'), rule('/line')].map((each) => `${JSON.stringify(each)}\n`).join('');
    const ndjson = await sendBody(id, lines, { 'content-type': 'application/x-ndjson' });
    expect(ndjson.body.sync).toEqual({ created: 1, updated: 0, deleted: 1, unchanged: 2 });
    const csv = 'old_path,new_path,status_code\n/n/0,/to,\n/n/1,/to,302\n/csv,/to,301\n';
    const file = await sendBody(id, gzipSync(csv), { 'content-type': 'text/csv', 'content-encoding': 'gzip' });
    expect(file.body.sync).toEqual({ created: 1, updated: 1, deleted: 1, unchanged: 1 });
    const { text } = await owner.keyCall('GET', `/api/v1/redirects/bulk/export?website_id=${id}`);
    const again = await sendBody(id, gzipSync(text), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
    expect(again.body.sync).toEqual({ created: 0, updated: 0, deleted: 0, unchanged: 3 });
  });

  test('zero bytes change nothing, and a body without entries deletes only what max_delete says', async () => {
    const { id } = await site(rules(3));
    const send = async (body: string, type: string, query = '') => {
      const { status, body: answer } = await sendBody(id, body, { 'content-type': type }, query);
      return [status, answer.code ?? answer.sync.deleted];
    };
    expect(await send('', 'application/x-ndjson')).toEqual([422, 'EMPTY_BODY']);
    expect(await send('', 'text/csv', '?max_delete=100%25')).toEqual([422, 'EMPTY_BODY']);
    expect(await send('', 'application/json')).toEqual([400, 'MISSING_PARAMETER']);
    const without = [
      ['{"redirects":[]}', 'application/json'],
      ['\n', 'application/x-ndjson'],
      ['old_path,new_path\n', 'text/csv'],
    ] as const;
    for (const [body, type] of without) {
      expect(await send(body, type)).toEqual([409, 'TOO_MANY_DELETES']);
      expect(await send(body, type, '?max_delete=2')).toEqual([409, 'TOO_MANY_DELETES']);
      expect(await send(body, type, '?max_delete=3&dry_run=true')).toEqual([200, 3]);
    }
    expect(await send('old_path,new_path\n', 'text/csv', '?max_delete=3')).toEqual([200, 3]);
    expect(await send('old_path,new_path\n', 'text/csv')).toEqual([200, 0]);
  });

  test('a field that no entry names keeps its value, and `fields` says otherwise', async () => {
    const labels = { notes: 'n', group_id: 'g', status_code: 302, target_environments: ['production', 'staging'] };
    const { id } = await site(rules(20, labels), { auto_deploy: false });
    const stored = await exported(id);
    const plain = rules(20);
    const kept = await sync(id, plain);
    expect([kept.body.sync.unchanged, kept.body.cleared]).toEqual([20, {}]);
    const csv = `old_path,new_path\n${plain.map(({ old_path }) => `${old_path},/to\n`).join('')}`;
    const file = await sendBody(id, csv, { 'content-type': 'text/csv' });
    expect([file.body.sync.unchanged, file.body.cleared]).toEqual([20, {}]);
    const lines = plain.map((each) => `${JSON.stringify(each)}\n`).join('');
    const listed = await sendBody(id, lines, { 'content-type': 'application/x-ndjson' }, '?fields=');
    expect(listed.body.sync.unchanged).toBe(20);
    const ignored = await sync(id, rules(20, { notes: 'other', status_code: 302 }), '?fields=new_path,status_code');
    expect(ignored.body.sync.unchanged).toBe(20);
    expect(await exported(id)).toEqual(stored);

    // One entry names notes, so the others clear them; a column of empty cells does too.
    const some = [rule('/n/0', { notes: 'n' }), ...plain.slice(1)];
    const refused = await sync(id, some);
    expect([refused.status, refused.body.code, refused.body.cleared, refused.body.max_delete]).toEqual([
      ...[409, 'TOO_MANY_DELETES', { notes: 19 }],
      10,
    ]);
    expect(refused.body.details).toContain('notes of 19 of 20 redirects would be cleared, and 10 may be');
    const column = `old_path,new_path,notes\n${plain.map(({ old_path }) => `${old_path},/to,\n`).join('')}`;
    const empty = await sendBody(id, column, { 'content-type': 'text/csv' }, '?dry_run=true&max_delete=20');
    expect([empty.status, empty.body.cleared]).toEqual([200, { notes: 20 }]);
    expect((await sync(id, plain, '?fields=notes,status_code&max_delete=19')).body.code).toBe('TOO_MANY_DELETES');
    expect(await exported(id)).toEqual(stored);
    const cleared = await sync(id, plain, '?fields=notes,status_code&max_delete=20');
    expect([cleared.body.sync.updated, cleared.body.cleared]).toEqual([20, { status_code: 20, notes: 20 }]);
    expect(fieldsOf((await exported(id))[0] as Rule)).toMatchObject({ ...labels, notes: null, status_code: 301 });
    expect((await sync(id, plain, '?fields=note')).body).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: expect.stringContaining('fields: must be names separated by commas'),
    });
  });

  test('names the environments that a rollback keeps from its visitors', async () => {
    const { id } = await site(rules(1));
    await until(async () => {
      const { body } = await owner.call('GET', `/api/deployments?website_id=${id}`);
      return body.deployments[0]?.status === 'completed';
    });
    const roll = { website_id: id, environment: 'production', version: 1 };
    await owner.keyCall('POST', '/api/v1/deployments/rollback', roll);
    const both = rule('/both', { target_environments: ['production', 'staging'] });
    const { body } = await sync(id, [rule('/n/0'), both]);
    expect([body.deployments.length, body.held_environments]).toEqual([1, ['production']]);
    expect((await sync(id, [rule('/n/0'), both])).body.held_environments).toBeUndefined();
    expect((await sync(id, [rule('/n/0')], '?dry_run=true')).body.held_environments).toBeUndefined();
    const held = async (method: 'POST' | 'PUT' | 'DELETE', path: string, sent?: object) =>
      (await owner.keyCall(method, path, sent)).body.held_environments;
    const created = await owner.keyCall('POST', '/api/v1/redirects', { website_id: id, ...rule('/one') });
    expect(created.body.held_environments).toEqual(['production']);
    const path = `/api/v1/redirects/${created.body.redirect.id}`;
    expect(await held('PUT', path, { new_path: '/two' })).toEqual(['production']);
    expect(await held('PUT', path, { notes: 'not served' })).toBeUndefined();
    const ids = { redirect_ids: [created.body.redirect.id] };
    const updates = { status_code: 302, add_environments: ['development'] };
    expect(await held('POST', '/api/v1/redirects/bulk-update', { ...ids, updates })).toEqual(['production']);
    const bulk = { website_id: id, redirects: [rule('/three')] };
    const { body: imported } = await owner.keyCall('POST', '/api/v1/redirects/bulk', bulk);
    expect(imported.held_environments).toEqual(['production']);
    expect(await held('POST', `/api/v1/changes/${imported.change_id}/undo`, {})).toEqual(['production']);
    expect(await held('DELETE', path)).toEqual(['production']);
  });

  test('with group_id only the redirects of the group are compared, and entries get the group', async () => {
    const { id } = await site([...rules(3, { group_id: 'a' }), rule('/other', { group_id: 'b' }), rule('/none')]);
    const { body } = await sync(id, [rule('/n/0'), rule('/n/1', { new_path: '/else' }), rule('/new')], '?group_id=a');
    expect(body.sync).toEqual({ created: 1, updated: 1, deleted: 1, unchanged: 1 });
    expect((await exported(id)).map(({ old_path, group_id }) => [old_path, group_id])).toEqual([
      ['/n/0', 'a'],
      ['/n/1', 'a'],
      ['/new', 'a'],
      ['/none', null],
      ['/other', 'b'],
    ]);
    const taken = await sync(id, [rule('/other'), rule('/none'), rule('/n/0')], '?group_id=a');
    expect([taken.status, taken.body.code, taken.body.errors]).toEqual([
      422,
      'VALIDATION_ERROR',
      [
        { index: 0, old_path: '/other', code: 'CONFLICT', message: expect.stringContaining('of the group "b"') },
        { index: 1, old_path: '/none', code: 'CONFLICT', message: expect.stringContaining('without a group') },
      ],
    ]);
    expect(await exported(id)).toHaveLength(5);
    expect((await sync(id, [], '?group_id=%20')).body.code).toBe('INVALID_PARAMETER');
  });

  test('the undo of a sync restores every field, id and time, windows too', async () => {
    const window = { active_from: '2030-01-01T00:00:00Z', active_until: '2031-01-01T00:00:00Z' };
    const { id } = await site([...rules(6, { notes: 'kept', ...window }), rule('/%73pelled')]);
    const before = await exported(id);
    const body = [rule('/n/0'), rule('/n/1', { ...window, active_until: null }), rule('/spelled'), rule('/new')];
    const { body: synced } = await sync(id, body);
    expect(synced.sync).toEqual({ created: 1, updated: 3, deleted: 4, unchanged: 0 });
    const undone = await owner.keyCall('POST', `/api/v1/changes/${synced.change_id}/undo`, {});
    expect(undone.body.undo).toEqual({ restored: 3, recreated: 4, deleted: 1, conflicts: 0, expectations: 0 });
    expect(await exported(id)).toEqual(before);
  });

  test('patterns have the room that deleted ones leave', async () => {
    // 53 of these use up the work that the patterns of a website may cost.
    const pattern = (n: number, name: string) => rule(`/.*${name}${n}.*[xy]`, { is_regex: true });
    const many = (name: string) => Array.from({ length: 53 }, (_, n) => pattern(n, name));
    const { id } = await site(many('a'));
    const { status, body } = await sync(id, many('b'), '?max_delete=100%25');
    expect([status, body.sync]).toEqual([200, { created: 53, updated: 0, deleted: 53, unchanged: 0 }]);
    expect((await sync(id, [...many('b'), pattern(53, 'b')])).body.errors).toMatchObject([
      { code: 'TOO_MANY_PATTERNS' },
    ]);
  });
});

describe('nothing is applied', () => {
  test('if an entry is invalid or a path is there twice', async () => {
    const { id } = await site(rules(3));
    const before = await exported(id);
    const bad = await sync(id, [rule('/n/0'), rule('no-slash'), rule('/%6e/0'), rule('/n/0')]);
    expect([bad.status, bad.body.code, bad.body.details]).toEqual([
      422,
      'VALIDATION_ERROR',
      expect.stringContaining('3 of 4 entries'),
    ]);
    expect(bad.body.errors).toEqual([
      { index: 1, old_path: 'no-slash', code: 'INVALID_OLD_PATH', message: expect.any(String) },
      { index: 2, old_path: '/%6e/0', code: 'CONFLICT', message: expect.stringContaining('entry 0') },
      { index: 3, old_path: '/n/0', code: 'CONFLICT', message: expect.stringContaining('entry 0') },
    ]);
    const file = await sendBody(id, 'old_path,new_path\n/a,/b\n/a,/c\n', { 'content-type': 'text/csv' });
    expect(file.body.errors).toMatchObject([{ line: 3, old_path: '/a', code: 'CONFLICT' }]);
    expect((await sync(id, [{ old_path: '/x' }])).status).toBe(422);
    expect(await exported(id)).toEqual(before);
  });

  test('if it would delete too many', async () => {
    const { id } = await site(rules(200));
    const [before, revision] = [await exported(id), await revisionOf(id)];
    const answer = await sync(id, [...before.slice(0, 179), rule('/new')]);
    expect([answer.status, answer.body]).toEqual([
      409,
      expect.objectContaining({
        code: 'TOO_MANY_DELETES',
        details: expect.stringContaining('21 of 200 redirects'),
        sync: { created: 1, updated: 0, deleted: 21, unchanged: 179 },
        total: 200,
        max_delete: 20,
      }),
    ]);
    const answers: [kept: number, query: string, status: number][] = [
      [0, '', 409],
      [179, '?dry_run=true', 409],
      [179, '?max_delete=10%25', 409],
      [179, '?max_delete=20', 409],
      [0, '?max_delete=100%25&dry_run=true', 200],
      [179, '?max_delete=21&dry_run=true', 200],
    ];
    for (const [kept, query, status] of answers)
      expect([query, (await sync(id, before.slice(0, kept), query)).status]).toEqual([query, status]);
    expect([await exported(id), await revisionOf(id)]).toEqual([before, revision]);
    expect((await sync(id, before.slice(0, 179), '?max_delete=10.5%25')).body.sync.deleted).toBe(21);
    for (const value of ['-1', 'all', '101%25', '20%25%25'])
      expect((await sync(id, [], `?max_delete=${value}`)).body.code).toBe('INVALID_PARAMETER');
  });

  test('of two syncs with the same if_revision, exactly one wins', async () => {
    const { id } = await site(rules(2));
    const revision = await revisionOf(id);
    const race = ['/one', '/two', '/three'].map((path) =>
      sync(id, [...rules(2), rule(path)], `?if_revision=${revision}`),
    );
    const answers = await Promise.all(race);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    const lost = answers.find(({ status }) => status === 409);
    expect(lost?.body).toMatchObject({ code: 'REVISION_CHANGED', revision: revision + 1 });
    expect(await exported(id)).toHaveLength(3);
  });

  test('with the if_history of a revision that the database has lost', async () => {
    const { id } = await site(rules(2));
    const shown = async () => (await owner.keyCall('GET', `/api/v1/websites/${id}`)).body.website;
    const written = await sync(id, rules(3));
    const { revision, history } = await shown();
    expect([written.body.revision, written.body.history]).toEqual([revision, history]);
    const dry = await sync(id, rules(4), `?dry_run=true&if_revision=${revision}&if_history=${history}`);
    expect([dry.body.revision, dry.body.history]).toEqual([revision, history]);
    // A database that went back in time assigns the revision again.
    await detour.db.execute(sql`update websites set head_rev = head_rev - 1 where id = ${Number(id)}`);
    await detour.db.execute(sql`delete from changes where website_id = ${Number(id)} and revision = ${revision}`);
    const again = await sync(id, rules(5));
    expect(again.body.revision).toBe(revision);
    expect(again.body.history).not.toBe(history);
    const lost = await sync(id, rules(6), `?if_revision=${revision}&if_history=${history}`);
    expect([lost.status, lost.body]).toEqual([
      409,
      expect.objectContaining({ code: 'REVISION_CHANGED', revision, history: again.body.history }),
    ]);
    expect(lost.body.details).toContain('if_history');
    expect(await exported(id)).toHaveLength(5);
    const same = await sync(id, rules(5), `?if_revision=${revision}&if_history=${again.body.history}`);
    expect([same.status, same.body.history]).toEqual([200, again.body.history]);
    const alone = await sync(id, rules(5), `?if_history=${history}`);
    expect([alone.status, alone.body.details]).toEqual([400, expect.stringContaining('if_revision')]);
  });

  test('if the database aborts the deletion', async () => {
    const { id } = await site(rules(5));
    const before = await exported(id);
    await detour.db.execute(
      sql`create function reject() returns trigger language plpgsql as 'begin raise ''full''; end'`,
    );
    await detour.db.execute(
      sql`create trigger reject before delete on redirects for each row execute function reject()`,
    );
    expect((await sync(id, [rule('/n/0', { new_path: '/else' }), rule('/new')])).status).toBe(500);
    await detour.db.execute(sql`drop trigger reject on redirects`);
    expect(await exported(id)).toEqual(before);
    await until(async () => {
      const { rows } = await detour.db.execute(sql`select 1 from pg_class where relname like 'import_stage_%'`);
      return rows.length === 0;
    });
  });
});

const OMITTED = ['group_id', 'notes', 'target_environments', 'active_from', 'active_until'] as const;

test('a dry run lists what the sync then does, and both equal a plain model', async () => {
  const random = seeded(41);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const state = (): Map<string, Rule> => {
    const model = new Map<string, Rule>();
    for (let n = 0; n < 40; n++) {
      if (random() < 0.4) continue;
      const gone = random() < 0.1;
      const isRegex = n % 10 === 0;
      model.set(String(n), {
        old_path: isRegex ? `/p${n}/(.*)` : pick([`/p${n}`, `/%70${n}`]),
        new_path: gone ? null : pick(['/x', '/y', 'https://shop.example/z']),
        status_code: gone ? pick([410, 451]) : pick([301, 302]),
        is_regex: isRegex,
        group_id: pick([null, 'a']),
        notes: pick([null, 'note', 'null']),
        target_environments: pick([['production'], ['staging', 'development'], []]),
        active_from: pick([null, '2030-01-01T00:00:00Z']),
        active_until: pick([null, '2030-01-01T00:00:01Z']),
      });
    }
    return model;
  };
  const { id } = await site([], { allowed_target_hosts: ['shop.example'], auto_deploy: false });
  let current = new Map<string, Rule>();
  for (let round = 0; round < inSoak(12, 4); round++) {
    const next = state();
    // A share of the entries leaves each field out; a field that all leave out keeps its value.
    const shares = OMITTED.map(() => pick([0, 0.5, 1]));
    const sent = [...next.values()].map((each) => {
      const left = OMITTED.filter((_, at) => random() < (shares[at] ?? 0));
      return Object.fromEntries(Object.entries(each).filter(([field]) => !left.includes(field as never)));
    });
    const cleared: Record<string, number> = {};
    [...next].forEach(([key, whole], at) => {
      const [before, entry] = [current.get(key), sent[at] as Partial<Rule>];
      for (const field of OMITTED) {
        const isDecided = sent.some((each) => field in each);
        const initial = field === 'target_environments' ? ['production'] : null;
        if (!(field in entry)) whole[field] = (before && !isDecided ? before[field] : initial) as never;
        if (!before || !isDecided || JSON.stringify(before[field]) === JSON.stringify(initial)) continue;
        if (entry[field] == null) cleared[field] = (cleared[field] ?? 0) + 1;
      }
    });
    const expected = { create: [] as string[], update: [] as string[], delete: [] as string[] };
    for (const [key, after] of next) {
      const before = current.get(key);
      if (!before) expected.create.push(after.old_path);
      else if (JSON.stringify(before) !== JSON.stringify(after)) expected.update.push(after.old_path);
    }
    for (const [key, before] of current) if (!next.has(key)) expected.delete.push(before.old_path);
    const counts = {
      created: expected.create.length,
      updated: expected.update.length,
      deleted: expected.delete.length,
      unchanged: next.size - expected.create.length - expected.update.length,
    };
    const redirects = sent;
    const dry = await sync(id, redirects, '?max_delete=100%25&dry_run=true');
    expect([dry.body.sync, dry.body.cleared, dry.body.revision]).toEqual([counts, cleared, await revisionOf(id)]);
    const listed = { create: [] as string[], update: [] as string[], delete: [] as string[] };
    const byPath = (model: Map<string, Rule>, path: string) =>
      [...model.values()].find(({ old_path }) => old_path === path) ?? null;
    for (const { kind, old_path, before, after } of dry.body.changes) {
      listed[kind as keyof typeof listed].push(old_path);
      if (kind !== 'delete') expect(after).toEqual(byPath(next, old_path));
      if (kind !== 'create') expect(before).toEqual(byPath(current, before.old_path));
    }
    expect(Object.values(listed).map((paths) => paths.toSorted())).toEqual(
      Object.values(expected).map((paths) => paths.toSorted()),
    );
    const real = await sync(id, redirects, '?max_delete=100%25');
    expect([real.body.sync, real.body.cleared]).toEqual([counts, cleared]);
    const paths = (list: Rule[]) => list.toSorted((a, b) => (a.old_path < b.old_path ? -1 : 1));
    expect((await exported(id)).map(fieldsOf)).toEqual(paths([...next.values()]));
    current = next;
  }
});

test('a dry run says which loops and failed expectations a deployment would have', async () => {
  const { id } = await site([rule('/kept'), rule('/a', { new_path: '/b' }), rule('/staged')]);
  await owner.call('PUT', `/api/websites/${id}`, { gated_environments: ['production'] });
  const expectations = [
    { url: '/kept', environment: 'production', status_code: 301, location: '/to' },
    { url: '/a', environment: 'production', status_code: 301, location: '/b' },
    { url: '/kept', environment: 'staging', status_code: 404 },
  ];
  await owner.keyCall('PUT', `/api/v1/websites/${id}/expectations`, { expectations });
  const dry = async (redirects: object[]) => (await sync(id, redirects, '?dry_run=true')).body;
  const unchanged = await dry([rule('/kept'), rule('/a', { new_path: '/b' }), rule('/staged')]);
  expect([unchanged.loops, unchanged.gate]).toEqual([
    [],
    [{ environment: 'production', passed: 2, failed: 0, failures: [] }],
  ]);
  const redirects = [
    rule('/a', { new_path: '/b' }),
    rule('/b', { new_path: '/a', target_environments: ['production', 'staging'] }),
    rule('/staged', { target_environments: ['staging'] }),
    rule('/grow/(.*)', { new_path: '/grow/x/$1', is_regex: true, target_environments: ['development'] }),
  ];
  const { loops, gate, changes } = await dry(redirects);
  expect(changes.length).toBe(4);
  const loop = { code: 'REDIRECT_LOOP', old_paths: ['/a', '/b'] };
  expect(loops).toEqual([
    { environment: 'production', ...loop },
    { environment: 'development', code: 'REDIRECT_LOOP', growing: true, old_paths: ['/grow/(.*)'] },
  ]);
  expect(gate).toMatchObject([{ environment: 'production', passed: 1, failed: 1 }]);
  expect(gate[0].failures).toMatchObject([{ url: '/kept', actual: { status_code: 404 } }]);
  expect((await exported(id)).length).toBe(3);
  // As the deployment then finds.
  const { body } = await sync(id, redirects);
  const deployed = async () => {
    const { body: list } = await owner.keyCall('GET', `/api/v1/deployments?website_id=${id}&environment=production`);
    return list.deployments.find((each: { id: string }) => body.deployments.includes(each.id));
  };
  await until(async () => (await deployed())?.status === 'failed');
  expect((await deployed()).warnings).toEqual([loop]);
  expect((await deployed()).error).toContain('1 of 2 expectations failed');
});

test('a read key may only make dry runs, and of its own websites', async () => {
  const { id } = await site(rules(1));
  const { body } = await owner.call('POST', '/api/keys', { name: 'read', scope: 'read' });
  const put = (path: string) =>
    fetch(`${detour.address}${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${body.api_key.key}`, 'content-type': 'application/json' },
      body: '{"redirects":[]}',
    });
  expect((await put(`/api/v1/websites/${id}/redirects?dry_run=true&max_delete=1`)).status).toBe(200);
  expect((await put(`/api/v1/websites/${id}/redirects`)).status).toBe(403);
  expect((await put('/api/v1/websites/999999/redirects?dry_run=true')).status).toBe(404);
});
