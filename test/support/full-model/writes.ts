/** Random writes of redirects: the call, and the same on the model. Each returns what the service then publishes. */
import { expect } from 'vitest';
import { ruleKey } from '../../../src/resolver/rule.ts';
import {
  byKey,
  commit,
  type Draft,
  draftRules,
  type Environment,
  type Fields,
  fieldsText,
  isValid,
  keyOf,
  kept,
  type Redirect,
  type Version,
} from './model.ts';
import {
  listByKey,
  randomEnvironments,
  randomFields,
  randomLabel,
  randomWindow,
  redirectsOf,
  type Run,
} from './run.ts';

/** A version that a step publishes. */
export interface Publication extends Omit<Version, 'deployedAt'> {
  environment: Environment;
  kind: 'automatic' | 'explicit' | 'rollback' | 'promote';
}

/** The current rules of an environment, as a deployment publishes them. */
export function draftOf({ model }: Run, environment: Environment): Omit<Version, 'deployedAt'> {
  return { rulesEnv: environment, rulesRev: model.revision, rules: draftRules(model, environment) };
}

/** Commits to the model. Returns the automatic deployments that follow. */
export async function commitAll(
  run: Run,
  change: { id: string | null; kind: string; undoes?: string },
  drafts: Draft[],
): Promise<Publication[]> {
  return automatic(run, commit(run.model, change, drafts, await listByKey(run)));
}

export function automatic(run: Run, environments: Environment[]): Publication[] {
  const { autoDeploy, held } = run.model;
  return environments
    .filter((environment) => autoDeploy && !held.has(environment))
    .map((environment) => ({ environment, kind: 'automatic', ...draftOf(run, environment) }));
}

/** All redirects, with other fields for some. */
function withFields(run: Run, changed: Map<number, Fields>): Draft[] {
  return redirectsOf(run).map(({ id, fields }) => ({ id, fields: changed.get(id) ?? fields }));
}

export async function create(run: Run): Promise<Publication[]> {
  const fields = randomFields(run);
  const isTaken = byKey(run.model).has(keyOf(fields));
  const { status, body, text } = await run.call('POST', '/api/v1/redirects', { website_id: run.site, ...fields });
  expect(status, text).toBe(isTaken ? 409 : 201);
  if (isTaken) return [];
  expect(body.redirect).toMatchObject(fields);
  return commitAll(run, { id: body.change_id, kind: 'create' }, [...kept(redirectsOf(run)), { id: null, fields }]);
}

/** A part of random fields, which keep the kind of the redirect. */
function randomChange(run: Run, { is_regex }: Fields): Partial<Fields> {
  const { is_regex: isOther, old_path, ...others } = randomFields(run);
  const all = { ...others, ...(isOther === is_regex && { old_path }), notes: randomLabel(run) };
  return Object.fromEntries(Object.entries(all).filter(() => run.chance(0.3)));
}

export async function update(run: Run): Promise<Publication[]> {
  if (run.model.redirects.size === 0) return create(run);
  const redirect = run.pick(redirectsOf(run));
  const change = { notes: randomLabel(run), ...randomChange(run, redirect.fields) };
  const fields = { ...redirect.fields, ...change };
  const holder = byKey(run.model).get(keyOf(fields));
  const isTaken = holder !== undefined && holder.id !== redirect.id;
  const { status, body, text } = await run.call('PUT', `/api/v1/redirects/${redirect.id}`, change);
  expect(status, text).toBe(!isValid(fields) ? 422 : isTaken ? 409 : 200);
  if (status !== 200) return [];
  expect(body.redirect).toMatchObject(fields);
  return commitAll(run, { id: body.change_id, kind: 'update' }, withFields(run, new Map([[redirect.id, fields]])));
}

export async function remove(run: Run): Promise<Publication[]> {
  if (run.model.redirects.size === 0) return create(run);
  const { id } = run.pick(redirectsOf(run));
  const { status, body, text } = await run.call('DELETE', `/api/v1/redirects/${id}`);
  expect(status, text).toBe(200);
  const rest = kept(redirectsOf(run).filter((each) => each.id !== id));
  return commitAll(run, { id: body.change_id, kind: 'delete' }, rest);
}

/** Redirects that a bulk call selects, and the part of its body that does. */
function select(run: Run): { selected: Redirect[]; body: object } {
  if (run.chance(0.5)) {
    const selected = redirectsOf(run).filter(() => run.chance(0.4));
    return { selected, body: { redirect_ids: [...selected.map(({ id }) => String(id)), '987654321'] } };
  }
  const group = randomLabel(run);
  const selected = redirectsOf(run).filter(({ fields }) => fields.group_id === group);
  return { selected, body: { website_id: run.site, filter: { group: group ?? '' } } };
}

export async function updateMany(run: Run): Promise<Publication[]> {
  const { selected, body: selection } = select(run);
  const all = {
    group_id: randomLabel(run),
    notes: randomLabel(run),
    target_environments: randomEnvironments(run),
    status_code: run.pick([301, 302]),
    ...randomWindow(run),
  };
  const updates = Object.fromEntries(Object.entries(all).filter(() => run.chance(0.3)));
  if (Object.keys(updates).length === 0) updates['notes'] = all.notes;
  const changed = new Map(selected.map(({ id, fields }) => [id, { ...fields, ...updates }]));
  const canAll = [...changed.values()].every(isValid);
  const { status, body, text } = await run.call('POST', '/api/v1/redirects/bulk-update', { ...selection, updates });
  expect(status, text).toBe(canAll ? 200 : 422);
  if (!canAll) return [];
  expect(body.updated_count).toBe(selected.length);
  return commitAll(run, { id: body.change_id, kind: 'bulk_update' }, withFields(run, changed));
}

export async function removeMany(run: Run): Promise<Publication[]> {
  const { selected, body: selection } = select(run);
  const { status, body, text } = await run.call('POST', '/api/v1/redirects/bulk-delete', selection);
  expect(status, text).toBe(200);
  expect(body.deleted_count).toBe(selected.length);
  const rest = redirectsOf(run).filter((each) => !selected.includes(each));
  return commitAll(run, { id: body.change_id, kind: 'bulk_delete' }, kept(rest));
}

/** Applies entries in their order, as an import does. */
function applyEntries(run: Run, entries: Partial<Fields>[], mode: 'skip' | 'update') {
  const drafts = new Map<string, Draft>(kept(redirectsOf(run)).map((draft) => [keyOf(draft.fields), draft]));
  const counts = { created: 0, updated: 0, skipped: 0, errors: 0 };
  for (const entry of entries) {
    const key = ruleKey(entry.old_path ?? '', entry.is_regex ?? false);
    const existing = drafts.get(key);
    if (existing && mode === 'skip') {
      counts.skipped++;
      continue;
    }
    const old_path = existing?.fields.old_path ?? entry.old_path ?? '';
    const fields: Fields = { ...(existing?.fields ?? defaults(entry)), ...entry, old_path };
    if (!isValid(fields)) {
      counts.errors++;
      continue;
    }
    counts[existing ? 'updated' : 'created']++;
    drafts.set(key, { id: existing?.id ?? null, fields });
  }
  return { drafts: [...drafts.values()], counts };
}

function defaults(entry: Partial<Fields>): Fields {
  return {
    old_path: '',
    new_path: null,
    status_code: 301,
    is_regex: false,
    group_id: null,
    notes: null,
    target_environments: ['production'],
    active_from: null,
    active_until: null,
    ...entry,
  };
}

/** A random entry of a bulk call, which may leave out what has a default. */
function randomEntry(run: Run): Partial<Fields> & { old_path: string } {
  const { old_path, new_path, status_code, is_regex, ...others } = randomFields(run);
  const provided = Object.fromEntries(Object.entries(others).filter(() => run.chance(0.4)));
  const withStatus = run.chance(0.7) || new_path === null;
  return { old_path, new_path, ...(withStatus && { status_code }), ...(is_regex && { is_regex }), ...provided };
}

export async function importJson(run: Run): Promise<Publication[]> {
  const entries = Array.from({ length: 1 + run.below(8) }, () => randomEntry(run));
  const { drafts, counts } = applyEntries(run, entries, 'update');
  const sent = { website_id: run.site, redirects: entries };
  const { errors, created, updated } = counts;
  if (run.chance(0.3)) {
    const dry = await run.call('POST', '/api/v1/redirects/bulk', { ...sent, dry_run: true });
    expect(dry.body.summary, dry.text).toMatchObject({ created, updated, errors });
  }
  const { status, body, text } = await run.call('POST', '/api/v1/redirects/bulk', sent);
  expect(status, text).toBe(200);
  expect(body.summary).toMatchObject({ created, updated, errors });
  return commitAll(run, { id: body.change_id, kind: 'import' }, drafts);
}

/** A CSV file with some of the columns, each filled in every row. */
export async function importCsv(run: Run): Promise<Publication[]> {
  const optional = ['status_code', 'group_id', 'target_environments'] as const;
  const columns = ['old_path', 'new_path', ...optional.filter(() => run.chance(0.5))] as const;
  const entries = Array.from({ length: 1 + run.below(8) }, () => ({
    old_path: run.pick(['/a', '/b', '/%61', '/c/d', '/p', '/sale']),
    new_path: `/t${run.below(3)}`,
    ...(columns.includes('status_code') && { status_code: run.pick([301, 302]) }),
    ...(columns.includes('group_id') && { group_id: run.pick(['x', 'y']) }),
    ...(columns.includes('target_environments') && {
      target_environments: run.pick<Environment[]>([['production'], ['staging', 'development']]),
    }),
  }));
  const lines = entries.map((entry: Partial<Fields>) => columns.map((name) => `"${String(entry[name])}"`).join(','));
  const mode = run.pick(['skip', 'update'] as const);
  const { drafts, counts } = applyEntries(run, entries, mode);
  const form = new FormData();
  form.append('file', new Blob([`${columns.join(',')}\n${lines.join('\n')}\n`]), 'some.csv');
  const path = `/api/redirects/import?website_id=${run.site}&on_conflict=${mode}`;
  const { status, body, text } = await run.callSession('POST', path, form);
  expect(status, text).toBe(200);
  const { created, skipped, updated, errors } = counts;
  expect(body, text).toMatchObject({ imported: created, skipped, updated, error_count: errors });
  return commitAll(run, { id: body.change_id, kind: 'import' }, drafts);
}

export async function sync(run: Run): Promise<Publication[]> {
  const group = run.chance(0.4) ? run.pick(['x', 'y']) : undefined;
  const scope = redirectsOf(run).filter(({ fields }) => group === undefined || fields.group_id === group);
  const entries = new Map<string, Partial<Fields> & { old_path: string }>();
  for (const { fields } of scope) if (run.chance(0.8)) entries.set(keyOf(fields), { ...fields });
  for (let count = run.below(4); count > 0; count--) {
    const entry = randomEntry(run);
    entries.set(ruleKey(entry.old_path, entry.is_regex ?? false), entry);
  }
  if (group !== undefined) for (const entry of entries.values()) delete entry.group_id;
  const wanted = new Map(
    [...entries].map(([key, entry]) => [key, { ...defaults(entry), ...(group && { group_id: group }) }]),
  );
  const existing = byKey(run.model);
  const isForeign = [...wanted.keys()].some(
    (key) => existing.has(key) && !scope.includes(existing.get(key) as Redirect),
  );
  const removed = scope.filter(({ fields }) => !wanted.has(keyOf(fields)));
  const drafts: Draft[] = kept(redirectsOf(run).filter((each) => !scope.includes(each)));
  const counts = { created: 0, updated: 0, deleted: removed.length, unchanged: 0 };
  for (const [key, fields] of wanted) {
    const redirect = existing.get(key);
    const isSame = redirect && fieldsText(redirect.fields) === fieldsText(fields);
    counts[!redirect ? 'created' : isSame ? 'unchanged' : 'updated']++;
    drafts.push({ id: redirect?.id ?? null, fields });
  }
  const maxDelete = run.chance(0.2) ? run.below(4) : 100;
  const ifRevision = run.chance(0.3) ? run.model.revision + run.below(2) : undefined;
  const query = [`max_delete=${maxDelete}`, ...(ifRevision === undefined ? [] : [`if_revision=${ifRevision}`])];
  if (group !== undefined) query.push(`group_id=${group}`);
  const path = `/api/v1/websites/${run.site}/redirects?${query.join('&')}`;
  const sent = { redirects: [...entries.values()] };
  const wrongRevision = ifRevision !== undefined && ifRevision !== run.model.revision;
  const expected = wrongRevision ? 409 : isForeign ? 422 : removed.length > maxDelete ? 409 : 200;
  if (run.chance(0.3)) {
    const dry = await run.call('PUT', `${path}&dry_run=true`, sent);
    expect(dry.status, dry.text).toBe(expected);
    if (expected === 200) expect([dry.body.sync, dry.body.revision]).toEqual([counts, run.model.revision]);
  }
  const { status, body, text } = await run.call('PUT', path, sent);
  expect(status, text).toBe(expected);
  if (expected !== 200) return [];
  expect(body.sync).toEqual(counts);
  const publications = await commitAll(run, { id: body.change_id, kind: 'sync' }, drafts);
  expect(body.revision).toBe(run.model.revision);
  return publications;
}
