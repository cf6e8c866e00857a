/**
 * SQL text that selects the rules of a version. COPY takes no parameters, so values become part of the text: only
 * integers, known columns and hostnames.
 */
import type { Environment } from '../../../vocabulary/environment.ts';

/**
 * The rules of a version: those of `rulesEnv` at revision `rulesRev`. If `targetHosts` is not null, rules with an
 * absolute target on another host are excluded.
 */
export interface RulesPointer {
  rulesEnv: Environment;
  rulesRev: number;
  /** the largest redirect id at rulesRev; a larger id was created later */
  rulesMaxId: number;
  targetHosts: string[] | null;
}

const IN_COLUMN = { production: 'in_prod', staging: 'in_staging', development: 'in_dev' } as const;

/** The column with the revision since which a redirect is targeted at the environment. */
export function targetColumn(environment: Environment): 'in_prod' | 'in_staging' | 'in_dev' {
  return IN_COLUMN[environment];
}

/**
 * The host of an absolute target in the form of allowed_target_hosts. Stored targets are https://host/ or
 * https://host:443/.
 */
const TARGET_HOST = `rtrim(lower(split_part(split_part(new_path, '/', 3), ':', 1)), '.')`;

/** SQL condition: the host of new_path is allowed. Never null. */
export function isAllowedSql(hosts: string[] | null): string {
  if (hosts === null) return 'true';
  const unsafe = hosts.find((host) => !/^[a-z0-9._-]+$/.test(host));
  if (unsafe !== undefined) throw new Error(`not a hostname: ${unsafe}`);
  return `(new_path is null or left(new_path, 1) = '/' or ${TARGET_HOST} = any('{${hosts.map((host) => `"${host}"`).join(',')}}'))`;
}

/** SQL condition: the rule or revision is in the version. */
export function isServedSql(at: Pick<RulesPointer, 'rulesEnv' | 'targetHosts'>): string {
  const targeted = `${targetColumn(at.rulesEnv)} is not null`;
  return at.targetHosts === null ? targeted : `${targeted} and ${isAllowedSql(at.targetHosts)}`;
}

/** SQL condition: the row is targeted at the environment in the column `at`. */
export const isTargetedSql = (row: string, at: string): string =>
  `case ${at} when 'production' then ${row}.in_prod when 'staging' then ${row}.in_staging else ${row}.in_dev end is not null`;

/** SQL condition, as `isServedSql`: the row is in the version of `e`, a row of website_environments. */
export function isServedAtSql(row: string, e: string): string {
  const host = TARGET_HOST.replace('new_path', `${row}.new_path`);
  return `${isTargetedSql(row, `${e}.rules_env`)} and (${e}.target_hosts is null or ${row}.new_path is null
    or left(${row}.new_path, 1) = '/' or ${host} = any (${e}.target_hosts))`;
}

const FIELDS = 'key, old_path, is_regex, new_path, status_code, active_from, active_until';

/** SQL for the window of a rule in milliseconds since 1970: two columns, null for an open end. */
export function windowSql(rule: 'r' | 'a' | 'n'): [from: string, until: string] {
  const msOf = (column: string): string => `(extract(epoch from ${rule}.${column}) * 1000)::bigint`;
  return [msOf('active_from'), msOf('active_until')];
}

/**
 * SQL query for the rules of a pointer: `id, key, old_path, is_regex, new_path, status_code, active_from, active_until,
 * since`.
 */
export function rulesSql(websiteId: number, at: RulesPointer): string {
  const [website, rev] = [integer(websiteId), integer(at.rulesRev)];
  const since = `${targetColumn(at.rulesEnv)} as since`;
  return `
    select id, ${FIELDS}, ${since} from redirects
    where website_id = ${website} and rev <= ${rev} and ${isServedSql(at)}
    union all
    select redirect_id, ${FIELDS}, ${since} from redirect_revisions
    where website_id = ${website} and rev_to > ${rev} and rev_from <= ${rev} and ${isServedSql(at)}`;
}

/**
 * SQL `with b as (...), a as (...)`: the rules before and after that may differ, with the columns of `rulesSql`. A rule
 * in both with the same `since` is unchanged. Within one environment the cost grows with the difference. A row that
 * changed after the lower revision left a revision with rev_to in (lower, upper]. A newer row has a larger id, because
 * ids are assigned under the website's lock. A row restored under its old id left a revision that is targeted nowhere.
 */
export function differenceSql(websiteId: number, from: RulesPointer, to: RulesPointer): string {
  if (from.rulesEnv !== to.rulesEnv) {
    return `with b as (${rulesSql(websiteId, from)}), a as (${rulesSql(websiteId, to)})`;
  }
  const reverse = to.rulesRev < from.rulesRev;
  const [lower, upper] = reverse ? [to, from] : [from, to];
  const [low, high] = reverse ? ['a', 'b'] : ['b', 'a'];
  const website = integer(websiteId);
  const [lo, hi] = [integer(lower.rulesRev), integer(upper.rulesRev)];
  const [loId, hiId] = [integer(lower.rulesMaxId), integer(upper.rulesMaxId)];
  const since = `${targetColumn(upper.rulesEnv)} as since`;
  return `
    with touched as (
      select distinct redirect_id as id from redirect_revisions
      where website_id = ${website} and rev_to > ${lo} and rev_to <= ${hi} and redirect_id <= ${loId} and rev_from < rev_to),
    ${low} as (
      select redirect_id as id, ${FIELDS}, ${since} from redirect_revisions
      where website_id = ${website} and rev_to > ${lo} and rev_to <= ${hi} and rev_from <= ${lo} and ${isServedSql(lower)}
      ${untouchedSql(website, lower, upper, [lo, hi])}),
    ${high} as (
      select id, ${FIELDS}, ${since} from redirects
      where website_id = ${website} and id > ${loId} and id <= ${hiId} and rev <= ${hi} and ${isServedSql(upper)}
      union all
      select r.id, ${FIELDS}, ${since} from touched t join redirects r on r.id = t.id
      where r.website_id = ${website} and r.rev > ${lo} and r.rev <= ${hi} and ${isServedSql(upper)}
      union all
      select redirect_id, ${FIELDS}, ${since} from redirect_revisions
      where website_id = ${website} and rev_to > ${hi} and rev_from > ${lo} and rev_from <= ${hi} and ${isServedSql(upper)}
      ${untouchedSql(website, upper, lower, [lo, hi])})`;
}

/** SQL condition: the rules of `b full join a` of `differenceSql` are served differently. Paths are compared as keys. */
export const IS_DIFFERENT = `(b.key, b.is_regex, b.new_path, b.status_code, b.active_from, b.active_until)
  is distinct from (a.key, a.is_regex, a.new_path, a.status_code, a.active_from, a.active_until)`;

/**
 * SQL condition: the rule of `b` without one in `a` is in an environment only by a promotion, because its redirect does
 * not target the environment. `from` and `to` are its versions before and after.
 */
export function isLiveOnly(environment: Environment, from: RulesPointer, to: RulesPointer): string {
  if (from.rulesEnv === environment || to.rulesEnv !== environment) return 'false';
  return isNotTargeted(environment);
}

/** SQL condition: `a` lacks the rule of `b`, whose redirect exists and does not target the environment. */
export function isNotTargeted(environment: Environment): string {
  return `a.id is null and exists (select 1 from redirects r where r.id = b.id and r.${targetColumn(environment)} is null)`;
}

/** Unchanged rules that only this side serves, because only this side allows their host. */
function untouchedSql(
  website: number,
  side: RulesPointer,
  other: RulesPointer,
  [lo, hi]: [lo: number, hi: number],
): string {
  const isAllowedByOther = isAllowedSql(other.targetHosts);
  if (isAllowedSql(side.targetHosts) === isAllowedByOther) return '';
  const isOnlyHere = `${isServedSql(side)} and not ${isAllowedByOther}`;
  const since = `${targetColumn(side.rulesEnv)} as since`;
  return `union all
      select id, ${FIELDS}, ${since} from redirects
      where website_id = ${website} and rev <= ${lo} and ${isOnlyHere}
      union all
      select redirect_id, ${FIELDS}, ${since} from redirect_revisions
      where website_id = ${website} and rev_to > ${hi} and rev_from <= ${lo} and ${isOnlyHere}`;
}

function integer(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`not an integer: ${value}`);
  return value;
}

/**
 * The host of an absolute target in the form of allowed_target_hosts (lower case, no port, no final dot); null for a
 * path or null.
 */
export function targetHost(newPath: string | null): string | null {
  if (newPath === null || newPath.startsWith('/')) return null;
  const authority = newPath.split('/', 3)[2] ?? '';
  return authority.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
}
