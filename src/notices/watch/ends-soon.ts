import { endingKeys } from '../../accounts/api-key.ts';
import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { isServedAtSql } from '../../deployments/live/database/rules-sql.ts';
import { DAY_MS, isoSeconds } from '../../platform/clock.ts';
import type { Raised } from '../raise.ts';

const DAYS = 7;

/** SQL condition: the redirect `r` starts or ends within 7 days. */
export function isSoon(column: 'active_from' | 'active_until', now: Date): SQL {
  const at = sql.raw(`r.${column}`);
  const until = new Date(now.getTime() + DAYS * DAY_MS).toISOString();
  return sql`${at} > ${now.toISOString()}::timestamptz and ${at} <= ${until}::timestamptz`;
}

/** SQL condition: an environment serves the redirect `r`, or a former state of it, with the same time in `column`. */
export const isWindowLive = (column: 'active_from' | 'active_until'): SQL => sql`exists (
  select 1 from website_environments e where e.website_id = r.website_id and e.live_version > 0 and (
    (r.rev <= e.rules_rev and ${sql.raw(isServedAtSql('r', 'e'))})
    or exists (select 1 from redirect_revisions v
      where v.website_id = r.website_id and v.redirect_id = r.id and v.rev_to > e.rules_rev and v.rev_from <= e.rules_rev
        and v.rev_from < v.rev_to and v.${sql.raw(column)} = r.${sql.raw(column)} and ${sql.raw(isServedAtSql('v', 'e'))})))`;

/** Rules of a website in one check; the next check finds the others. */
const MAX_RULES = 1_000;

/**
 * Returns redirects of accounts with such a notice whose window ends within 7 days in the live rules of an environment, and
 * that a notice has not reported. Each is held until its end, so that a rule and window is reported once. The cause is that
 * of notices/raise.ts.
 */
export async function endingRedirects(db: Queryable, now: Date): Promise<Raised[]> {
  type Row = { accountId: number; websiteId: number; path: string; target: string | null; activeUntil: string };
  const rows = await queryRows<Row>(db)`
    select s.account_id, s.id as website_id, r.old_path as path, r.new_path as target, r.active_until
    from websites s cross join lateral (
      select old_path, new_path, active_until from redirects r
      where r.website_id = s.id and ${isSoon('active_until', now)}
        and exists (select from notices n where n.account_id = s.account_id and n.kinds @> array['redirect.ends_soon']
          and not exists (select from notice_causes c where c.notice_id = n.id and c.cause = sha256(convert_to(concat_ws(
            E'\\n', 'redirect.ends_soon', s.id, r.old_path, to_char(r.active_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
            'UTF8'))))
        and ${isWindowLive('active_until')}
      order by r.active_until limit ${MAX_RULES}) r
    where s.deleting_since is null
      and s.account_id in (select n.account_id from notices n where n.kinds @> array['redirect.ends_soon'])`;
  return rows.map(({ accountId, websiteId, path, target, activeUntil }) => {
    const end = new Date(activeUntil);
    return {
      ...{ accountId, websiteId, path, environment: null, kind: 'redirect.ends_soon' },
      data: { path, target, at: isoSeconds(end) },
      heldUntil: end,
    };
  });
}

/** Returns the API keys of accounts with such a notice that expire within 14 days. Each is held until then. */
export async function endingApiKeys(db: Queryable, now: Date): Promise<Raised[]> {
  const watching = sql`(select account_id from notices where kinds @> array['key.ends_soon'])`;
  const keys = await endingKeys(db, watching, now);
  return keys.map(({ accountId, id, name, expiresAt }) => ({
    ...{ accountId, websiteId: null, environment: null, path: null, kind: 'key.ends_soon' },
    data: { keyName: name, keyId: id, at: isoSeconds(expiresAt) },
    heldUntil: expiresAt,
  }));
}
