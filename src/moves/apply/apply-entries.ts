/** The entries that an apply imports: its redirects, its rules and what it flattens. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { environmentsOf, type TargetedSince } from '../../redirects/rule/redirect.ts';
import { ruleKey } from '../../resolver/rule.ts';
import type { AllowedHosts, TargetHosts } from '../../rules/check-redirect.ts';
import { checkedEntry, type ImportEntry } from '../../rules/entry.ts';
import { ENVIRONMENTS, type Environment } from '../../vocabulary/environment.ts';
import type { ApplyOptions, Flattening } from './decided-urls.ts';
import type { ApplyPlan, Wanted } from './plan-apply.ts';

type New = Pick<ImportEntry, 'oldPath' | 'newPath'> & { statusCode: number; isRegex: boolean };

/** A redirect of the website with the key of an entry. */
interface Existing extends Omit<New, 'oldPath'> {
  key: string;
  environments: Environment[];
}

const BATCH = 5_000;

/** Returns the valid entries of a plan. `line` of each is its place among them. Adds conflicts. */
export async function entriesOf(
  db: Queryable,
  websiteId: number,
  { literals, rules, conflicts }: ApplyPlan,
  flattened: Flattening[],
  { options, hosts }: { options: ApplyOptions; hosts: TargetHosts<AllowedHosts> },
): Promise<{ entries: ImportEntry[]; gone: number }> {
  const wanted: New[] = [
    ...literals.map(({ url, target, statusCode }) => ({ oldPath: url, newPath: target, statusCode, isRegex: false })),
    ...rules.map(({ pattern, target }) => ({
      oldPath: pattern,
      newPath: target,
      statusCode: options.statusCode,
      isRegex: true,
    })),
  ];
  const entries: ImportEntry[] = [];
  const known = new Set<string>();
  let gone = 0;
  const add = (url: string, fields: New, more: Partial<ImportEntry>): boolean => {
    const checked = checkedEntry({ ...NOT_PROVIDED, ...fields, ...more, line: entries.length }, hosts);
    if (!('key' in checked))
      conflicts.push({ url, code: checked.code, message: `${checked.path}: ${checked.message}` });
    else entries.push(checked);
    return 'key' in checked;
  };
  for (let at = 0; at < wanted.length; at += BATCH) {
    const batch = wanted.slice(at, at + BATCH);
    const existing = await readExisting(db, websiteId, batch);
    for (const fields of batch) {
      const { oldPath, newPath, isRegex } = fields;
      const key = ruleKey(oldPath, isRegex);
      const found = existing.get(key);
      known.add(key);
      if (found && !options.replaces && !isSame(found, fields)) {
        conflicts.push({ url: oldPath, code: 'CONFLICT', message: conflictText(found) });
        continue;
      }
      const targets = new Set([...(found?.environments ?? []), ...options.environments]);
      const environments = ENVIRONMENTS.filter((each) => targets.has(each));
      const isAdded = add(oldPath, fields, { environments, groupId: found ? undefined : options.groupId });
      if (isAdded && newPath === null) gone++;
    }
  }
  for (const { oldPath, after } of flattened) {
    if (known.has(ruleKey(oldPath, false))) continue;
    add(
      oldPath,
      { oldPath, newPath: after, statusCode: 0, isRegex: false },
      { statusCode: undefined, isRegex: undefined },
    );
  }
  return { entries, gone };
}

const NOT_PROVIDED = {
  groupId: undefined,
  notes: undefined,
  environments: undefined,
  activeFrom: undefined,
  activeUntil: undefined,
};

const isSame = (found: Existing, { newPath, statusCode, isRegex }: New): boolean =>
  found.newPath === newPath && found.statusCode === statusCode && found.isRegex === isRegex;

function conflictText({ newPath, statusCode }: Existing): string {
  const answer = newPath === null ? `responds with ${statusCode}` : `leads to ${newPath} with ${statusCode}`;
  return `url: a redirect of this path ${answer}; it stays, send on_conflict=update to replace it`;
}

async function readExisting(db: Queryable, websiteId: number, batch: New[]): Promise<Map<string, Existing>> {
  const keys = batch.map(({ oldPath, isRegex }) => ruleKey(oldPath, isRegex));
  const rows = await queryRows<Omit<Existing, 'environments'> & TargetedSince>(db)`
    select key, new_path, status_code, is_regex, in_prod, in_staging, in_dev from redirects
    where website_id = ${websiteId} and key = any(${sql.param(keys)}::text[])`;
  return new Map(rows.map((row) => [row.key, { ...row, environments: environmentsOf(row) }]));
}

/** The redirects that lead to a decided URL which leads elsewhere, by path. */
export async function findFlattenings(db: Queryable, websiteId: number, wanted: Wanted[]): Promise<Flattening[]> {
  const targets = new Map(wanted.flatMap(({ url, target }) => (target === null ? [] : [[url, target] as const])));
  const found: Flattening[] = [];
  const urls = [...targets.keys()];
  if (urls.length === 0) return found;
  const rows = await queryRows<{ id: number; oldPath: string; newPath: string }>(db)`
    select r.id, r.old_path, r.new_path from redirects r
    where r.website_id = ${websiteId} and not r.is_regex and r.new_path = any(${sql.param(urls)}::text[])
    order by r.key`;
  for (const { id, oldPath, newPath } of rows) {
    const after = targets.get(newPath);
    if (after === undefined || targets.has(oldPath) || ruleKey(after, false) === ruleKey(oldPath, false)) continue;
    found.push({ redirectId: id, oldPath, before: newPath, after });
  }
  return found;
}
