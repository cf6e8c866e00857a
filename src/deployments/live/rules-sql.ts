/**
 * The SQL of rules as versions name them. COPY takes no parameters, so these are texts: what goes into them is checked to be a whole
 * number, a column of ours or a hostname.
 */
import type { Environment } from '../../vocabulary/environment.ts';

/**
 * Rules as a version names them: those of `rulesEnv` as they were at `rulesRev`. Where `targetHosts` is not null, those with an
 * absolute target on another host are left out.
 */
export interface RulesPointer {
  rulesEnv: Environment;
  rulesRev: number;
  /** the largest redirect id at rulesRev: what is newer by id came after it */
  rulesMaxId: number;
  targetHosts: string[] | null;
}

const IN_COLUMN = { production: 'in_prod', staging: 'in_staging', development: 'in_dev' } as const;

/** The column that says since which revision a redirect is targeted at the environment. */
export function targetColumn(environment: Environment): 'in_prod' | 'in_staging' | 'in_dev' {
  return IN_COLUMN[environment];
}

/** The host of an absolute target as allowed_target_hosts has it; checked targets are https://host/ or https://host:443/. */
const HOST = `rtrim(lower(split_part(split_part(new_path, '/', 3), ':', 1)), '.')`;

/** True where a rule with this new_path may lead where it leads. Never null. */
export function isAllowedSql(hosts: string[] | null): string {
  if (hosts === null) return 'true';
  const unsafe = hosts.find((host) => !/^[a-z0-9._-]+$/.test(host));
  if (unsafe !== undefined) throw new Error(`not a hostname: ${unsafe}`);
  return `(new_path is null or left(new_path, 1) = '/' or ${HOST} = any('{${hosts.map((host) => `"${host}"`).join(',')}}'))`;
}

function isServedSql(at: Pick<RulesPointer, 'rulesEnv' | 'targetHosts'>): string {
  const targeted = `${targetColumn(at.rulesEnv)} is not null`;
  return at.targetHosts === null ? targeted : `${targeted} and ${isAllowedSql(at.targetHosts)}`;
}

const FIELDS = 'key, old_path, is_regex, new_path, status_code';

/** Every rule of the pointer: `id, key, old_path, is_regex, new_path, status_code, since`. */
export function rulesSql(websiteId: number, at: RulesPointer): string {
  const [website, rev] = [whole(websiteId), whole(at.rulesRev)];
  const since = `${targetColumn(at.rulesEnv)} as since`;
  return `
    select id, ${FIELDS}, ${since} from redirects
    where website_id = ${website} and rev <= ${rev} and ${isServedSql(at)}
    union all
    select redirect_id, ${FIELDS}, ${since} from redirect_revisions
    where website_id = ${website} and rev_to > ${rev} and rev_from <= ${rev} and ${isServedSql(at)}`;
}

/**
 * `with b as (...), a as (...)`: the rules before and after, each as `rulesSql` has them, where they may differ; what is in both
 * with the same `since` is the same. Between two revisions of one environment the cost follows the difference: a row that was there
 * at the lower revision and changed since left a revision with rev_to in (lower, upper]; a row that is newer has a larger id than
 * any before it (ids are given under the website's lock), or, where it was restored under its old id, left one that is targeted
 * nowhere.
 */
export function differenceSql(websiteId: number, from: RulesPointer, to: RulesPointer): string {
  if (from.rulesEnv !== to.rulesEnv) {
    return `with b as (${rulesSql(websiteId, from)}), a as (${rulesSql(websiteId, to)})`;
  }
  const reverse = to.rulesRev < from.rulesRev;
  const [lower, upper] = reverse ? [to, from] : [from, to];
  const [low, high] = reverse ? ['a', 'b'] : ['b', 'a'];
  const website = whole(websiteId);
  const [lo, hi] = [whole(lower.rulesRev), whole(upper.rulesRev)];
  const [loId, hiId] = [whole(lower.rulesMaxId), whole(upper.rulesMaxId)];
  const since = `${targetColumn(upper.rulesEnv)} as since`;
  return `
    with touched as (
      select distinct redirect_id as id from redirect_revisions
      where website_id = ${website} and rev_to > ${lo} and rev_to <= ${hi} and redirect_id <= ${loId}),
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

/** What did not change between the revisions and is served on this side alone, for its host is allowed on this side alone. */
function untouchedSql(
  website: number,
  side: RulesPointer,
  other: RulesPointer,
  [lo, hi]: [lo: number, hi: number],
): string {
  const [here, there] = [isAllowedSql(side.targetHosts), isAllowedSql(other.targetHosts)];
  if (here === there) return '';
  const isHereAlone = `${isServedSql(side)} and not ${there}`;
  const since = `${targetColumn(side.rulesEnv)} as since`;
  return `union all
      select id, ${FIELDS}, ${since} from redirects
      where website_id = ${website} and rev <= ${lo} and ${isHereAlone}
      union all
      select redirect_id, ${FIELDS}, ${since} from redirect_revisions
      where website_id = ${website} and rev_to > ${hi} and rev_from <= ${lo} and ${isHereAlone}`;
}

function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
  return value;
}

/** The host of an absolute target as allowed_target_hosts has it (lower case, no port, no final dot); null for a path and for none. */
export function targetHost(newPath: string | null): string | null {
  if (newPath === null || newPath.startsWith('/')) return null;
  const authority = newPath.split('/', 3)[2] ?? '';
  return authority.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
}
