import type { PoolClient } from 'pg';
import { copyRows } from '../db/copy-rows.ts';
import type { Rule } from '../resolver/rule.ts';
import type { Environment } from '../vocabulary/environment.ts';

/** Rules as a version names them: those of `rulesEnv` as they were at `rulesRev`. */
export interface RulesPointer {
  rulesEnv: Environment;
  rulesRev: number;
  rulesMaxId: number;
}

/** One rule of the difference between two pointers: the key to take away, the rule to put there, or both. */
export interface RuleChange {
  oldKey: string | null;
  /** as its editor wrote it, for warnings and diffs */
  oldPath: string;
  rule: Rule | null;
}

const IN_COLUMN = { production: 'in_prod', staging: 'in_staging', development: 'in_dev' } as const;

/** The column that says since which revision a redirect is targeted at the environment. */
export function targetColumn(environment: Environment): 'in_prod' | 'in_staging' | 'in_dev' {
  return IN_COLUMN[environment];
}

/** COPY takes no parameters, so what goes into its text is checked to be a whole number. */
function whole(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
  return value;
}

/** Streams every rule of the pointer, a batch at a time, in no promised order. */
export async function* rulesAt(
  client: PoolClient,
  websiteId: number,
  at: RulesPointer,
): AsyncGenerator<Rule[]> {
  const [website, rev, column] = [whole(websiteId), whole(at.rulesRev), targetColumn(at.rulesEnv)];
  const text = `
    select id, key, is_regex, new_path, status_code from redirects
    where website_id = ${website} and rev <= ${rev} and ${column} is not null
    union all
    select redirect_id, key, is_regex, new_path, status_code from redirect_revisions
    where website_id = ${website} and rev_to > ${rev} and rev_from <= ${rev} and ${column} is not null`;
  for await (const rows of copyRows(client, text)) yield rows.map((row) => ruleOf(row, 0));
}

/**
 * Streams what differs between two pointers with the same rulesEnv; the cost follows the difference, not the website.
 * A row that was there at the lower revision and changed since left a revision with rev_to in (lower, upper]; a row that is
 * newer has a larger id than any before it (ids are given under the website's lock), or, where it was restored under its old
 * id, left one that is targeted nowhere. `reverse` (a rollback) swaps the sides.
 */
export async function* changesBetween(
  client: PoolClient,
  websiteId: number,
  from: RulesPointer,
  to: RulesPointer,
): AsyncGenerator<RuleChange[]> {
  const reverse = to.rulesRev < from.rulesRev;
  const text = differenceQuery(websiteId, reverse ? to : from, reverse ? from : to, reverse);
  for await (const rows of copyRows(client, text)) {
    yield rows.map((row) => ({
      oldKey: row[0] ?? null,
      oldPath: row[1] ?? '',
      rule: row[3] == null ? null : ruleOf(row, 2),
    }));
  }
}

function differenceQuery(
  websiteId: number,
  lower: RulesPointer,
  upper: RulesPointer,
  reverse: boolean,
): string {
  const website = whole(websiteId);
  const [lo, hi] = [whole(lower.rulesRev), whole(upper.rulesRev)];
  const [loId, hiId] = [whole(lower.rulesMaxId), whole(upper.rulesMaxId)];
  const since = targetColumn(upper.rulesEnv);
  const fields = `key, old_path, is_regex, new_path, status_code, ${since} as since`;
  const [before, after] = reverse ? ['h', 'l'] : ['l', 'h'];
  return `
    with l as (
      select redirect_id as id, ${fields} from redirect_revisions
      where website_id = ${website} and rev_to > ${lo} and rev_to <= ${hi} and rev_from <= ${lo} and ${since} is not null),
    touched as (
      select distinct redirect_id as id from redirect_revisions
      where website_id = ${website} and rev_to > ${lo} and rev_to <= ${hi} and redirect_id <= ${loId}),
    h as (
      select id, ${fields} from redirects
      where website_id = ${website} and id > ${loId} and id <= ${hiId} and rev <= ${hi} and ${since} is not null
      union all
      select r.id, ${fields} from touched t join redirects r on r.id = t.id
      where r.website_id = ${website} and r.rev > ${lo} and r.rev <= ${hi} and ${since} is not null
      union all
      select redirect_id, ${fields} from redirect_revisions
      where website_id = ${website} and rev_to > ${hi} and rev_from > ${lo} and rev_from <= ${hi} and ${since} is not null)
    select ${before}.key, coalesce(h.old_path, l.old_path), ${after}.id, ${after}.key, ${after}.is_regex, ${after}.new_path,
      ${after}.status_code
    from l full join h on l.id = h.id where l.since is distinct from h.since`;
}

function ruleOf(row: (string | null)[], at: number): Rule {
  return {
    id: Number(row[at]),
    key: row[at + 1] ?? '',
    isRegex: row[at + 2] === 't',
    newPath: row[at + 3] ?? null,
    statusCode: Number(row[at + 4]),
  };
}
