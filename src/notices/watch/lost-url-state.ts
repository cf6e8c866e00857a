/** The state that lost URLs are counted from. A stored count of another state is stale. */
import { sql } from '../../db/drizzle.ts';

/**
 * SQL: a text that changes with the live version, the lists, the settings, and the times at which rules and accepted
 * losses begin and end. `s` is the website and `e` its environment. Its cost grows with the lists only: an index finds
 * each time.
 */
export const COUNTED_STATE = sql.raw(`concat_ws('|', e.live_version, extract(epoch from s.changed_at),
  (select string_agg(l.id || ':' || l.version, ',' order by l.id) from url_lists l
    where l.website_id = s.id and l.environment = e.environment and l.version > 0),
  coalesce((select extract(epoch from max(r.active_from))::text from redirects r where r.website_id = s.id and r.active_from <= now()), ''),
  coalesce((select extract(epoch from max(r.active_until))::text from redirects r where r.website_id = s.id and r.active_until <= now()), ''),
  coalesce((select extract(epoch from max(a.until))::text from url_accepted_losses a where a.website_id = s.id and a.until <= now()), ''))`);

/** The text in `seen` of a count: its time, and the state then. */
export const seenText = (countedAt: Date, state: string): string => `${countedAt.toISOString()} ${state}`;

/** SQL: the state of the last count in the column `seen` of `w`; of an unfinished count, no state. */
export const SEEN_STATE = sql.raw(`substr(w.seen, strpos(w.seen, ' ') + 1)`);

/** SQL: the time of the last count; null while one runs or waits, and for counts of earlier versions of the service. */
export const COUNTED_AT = sql.raw(`case when w.seen ~ '^\\d{4}-' then split_part(w.seen, ' ', 1)::timestamptz end`);
