/** A plain model of one website: its redirects, changes and versions, in maps and arrays. */
import { ruleKey } from '../../../src/resolver/rule.ts';

export const ENVIRONMENTS = ['production', 'staging', 'development'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The editable fields, as surface A writes them. */
export interface Fields {
  old_path: string;
  new_path: string | null;
  status_code: number;
  is_regex: boolean;
  group_id: string | null;
  notes: string | null;
  target_environments: Environment[];
  active_from: string | null;
  active_until: string | null;
}

export interface Times {
  created_at: string;
  updated_at: string;
}

export interface Redirect {
  id: number;
  fields: Fields;
  times: Times;
  /** the revision since which what is served is the same */
  content: number;
  /** the revision since which this rule targets the environment; null if it does not */
  since: Record<Environment, number | null>;
}

/** A redirect after a write: `id` is null for a new one. With `times`, a changed one has these; else the write sets them. */
export interface Draft {
  id: number | null;
  fields: Fields;
  times?: Times;
}

export interface Touch {
  before: Redirect | null;
  after: Redirect | null;
}

export interface Change {
  id: string;
  kind: string;
  revision: number;
  touched: Map<number, Touch>;
  undoes: string | null;
  undoneBy: string | null;
}

export interface Version {
  /** the environment and revision whose rules it has */
  rulesEnv: Environment;
  rulesRev: number;
  rules: Redirect[];
  deployedAt: string;
}

export interface Model {
  redirects: Map<number, Redirect>;
  revision: number;
  changes: Change[];
  versions: Record<Environment, Version[]>;
  held: Set<Environment>;
  autoDeploy: boolean;
  /** how many there were, failed ones too */
  deployments: number;
}

export function emptyModel(autoDeploy: boolean): Model {
  const versions = { production: [], staging: [], development: [] };
  return { redirects: new Map(), revision: 0, changes: [], versions, held: new Set(), autoDeploy, deployments: 0 };
}

export const keyOf = ({ old_path, is_regex }: Fields): string => ruleKey(old_path, is_regex);

export const byKey = (model: Model): Map<string, Redirect> =>
  new Map([...model.redirects.values()].map((redirect) => [keyOf(redirect.fields), redirect]));

/** Fields in one order, so that texts compare. */
export function fieldsText(fields: Fields | null | undefined): string {
  if (!fields) return 'none';
  return JSON.stringify(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const contentText = (fields: Fields): string =>
  JSON.stringify([
    keyOf(fields),
    fields.new_path,
    fields.status_code,
    fields.is_regex,
    fields.active_from,
    fields.active_until,
  ]);

export function isValid({ new_path, status_code, active_from, active_until }: Fields): boolean {
  const isGone = status_code === 410 || status_code === 451;
  if (isGone !== (new_path === null)) return false;
  return active_from === null || active_until === null || Date.parse(active_from) < Date.parse(active_until);
}

/** The redirects that a write leaves unchanged, as drafts. */
export const kept = (redirects: Iterable<Redirect>): Draft[] =>
  [...redirects].map(({ id, fields }) => ({ id, fields }));

/**
 * Applies a write: `drafts` are all redirects afterwards. `listed` resolves the ids and times that the write made.
 * Returns the environments whose rules changed.
 */
export function commit(
  model: Model,
  change: { id: string | null; kind: string; undoes?: string },
  drafts: Draft[],
  listed: Map<string, { id: number; times: Times }>,
): Environment[] {
  const revision = model.revision + 1;
  const next = new Map<number, Redirect>();
  for (const draft of drafts) {
    const made = listed.get(keyOf(draft.fields));
    const id = draft.id ?? made?.id;
    if (id === undefined) throw new Error(`the list has no ${draft.fields.old_path}`);
    const before = model.redirects.get(id);
    const isSame = before && fieldsText(before.fields) === fieldsText(draft.fields);
    const times = isSame ? before.times : (draft.times ?? made?.times);
    if (!times) throw new Error(`the list has no ${draft.fields.old_path}`);
    next.set(id, isSame ? before : { id, fields: draft.fields, times, ...revised(before, draft.fields, revision) });
  }
  const touched = new Map<number, Touch>();
  for (const id of [...new Set([...model.redirects.keys(), ...next.keys()])].toSorted((a, b) => a - b)) {
    const touch = { before: model.redirects.get(id) ?? null, after: next.get(id) ?? null };
    if (fieldsText(touch.before?.fields) !== fieldsText(touch.after?.fields)) touched.set(id, touch);
  }
  if ((change.id !== null) !== touched.size > 0) {
    throw new Error(`${change.kind}: change ${change.id}, but ${touched.size} redirects differ`);
  }
  if (change.id === null) return [];
  model.redirects = next;
  model.revision = revision;
  const undoes = change.undoes ?? null;
  model.changes.push({ id: change.id, kind: change.kind, revision, touched, undoes, undoneBy: null });
  const touches = [...touched.values()];
  const sinceIn = (redirect: Redirect | null, each: Environment): number | null => redirect?.since[each] ?? null;
  return ENVIRONMENTS.filter((each) =>
    touches.some(({ before, after }) => sinceIn(before, each) !== sinceIn(after, each)),
  );
}

function revised(before: Redirect | undefined, fields: Fields, revision: number): Pick<Redirect, 'content' | 'since'> {
  const isSame = before && contentText(before.fields) === contentText(fields);
  const sinceIn = (environment: Environment): number | null => {
    if (!fields.target_environments.includes(environment)) return null;
    return (isSame ? before.since[environment] : null) ?? revision;
  };
  return {
    content: isSame ? before.content : revision,
    since: {
      production: sinceIn('production'),
      staging: sinceIn('staging'),
      development: sinceIn('development'),
    },
  };
}

/** The rules that a deployment of the current redirects would publish. */
export function draftRules(model: Model, environment: Environment): Redirect[] {
  return [...model.redirects.values()].filter(({ since }) => since[environment] !== null);
}

/** When the live rule of the redirect was published: the first version of the run that has the same rule. */
export function deployedAt(model: Model, environment: Environment, id: number): string | null {
  const versions = model.versions[environment];
  const live = versions.at(-1);
  const rule = live?.rules.find((each) => each.id === id);
  if (!live || !rule) return null;
  let first = live;
  for (const version of versions.toReversed()) {
    const there = version.rules.find((each) => each.id === id);
    if (!there || there.content !== rule.content) break;
    if (version.rulesEnv === live.rulesEnv && there.since[live.rulesEnv] !== rule.since[live.rulesEnv]) break;
    first = version;
  }
  return first.deployedAt;
}

/** How two lists of rules differ, by id. */
export function difference(from: Redirect[], to: Redirect[]) {
  const [before, after] = [from, to].map((rules) => new Map(rules.map((rule) => [rule.id, rule])));
  const ids = (test: (a: Redirect | undefined, b: Redirect | undefined) => boolean): number[] =>
    [...new Set([...from, ...to].map(({ id }) => id))]
      .filter((id) => test(before?.get(id), after?.get(id)))
      .toSorted((a, b) => a - b);
  return {
    added: ids((a, b) => !a && b !== undefined),
    changed: ids((a, b) => a !== undefined && b !== undefined && contentText(a.fields) !== contentText(b.fields)),
    removed: ids((a, b) => a !== undefined && !b),
  };
}
