import type { Queryable } from '../../db/connection/client.ts';
import { sql, type SQL } from '../../db/drizzle.ts';
import { queryRows } from '../../db/rows.ts';
import { DAY_MS, isoSeconds } from '../../platform/clock.ts';
import type { Raised } from '../raise.ts';

const DAYS = 7;

/** SQL condition: the redirect `r` starts or ends within 7 days. */
export function isSoon(column: 'active_from' | 'active_until', now: Date): SQL {
  const at = sql.raw(`r.${column}`);
  const until = new Date(now.getTime() + DAYS * DAY_MS).toISOString();
  return sql`${at} > ${now.toISOString()}::timestamptz and ${at} <= ${until}::timestamptz`;
}

/** Rules of a website in one check; the next check finds the others. */
const MAX_RULES = 1_000;

/**
 * Returns redirects of accounts with such a notice whose window ends within 7 days, and that a notice has not reported. Each is
 * held until its end, so that a rule and window is reported once. The cause is that of notices/raise.ts.
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
