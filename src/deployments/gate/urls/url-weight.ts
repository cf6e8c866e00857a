/** The URLs of a website in an environment, with their state, hits and weight, as SQL. */
import { type SQL, sql } from '../../../db/drizzle.ts';
import type { UrlState } from '../../../vocabulary/urls.ts';
import type { Place } from '../../live/candidate.ts';

/** The states of `weightedUrls` by number. */
export const STATE_NUMBERS: readonly UrlState[] = ['living', 'removed', 'known'];

const HIT_DAYS = 30;

/**
 * A query of all URLs: the columns of `urls`, and state (an index of STATE_NUMBERS). An environment without lists has the
 * states of production.
 */
export function statedUrls(place: Place): SQL {
  const { websiteId, environment } = place;
  const lists = listsOf(websiteId);
  // Subqueries of their own: a join with the lists keeps a sort from stopping at a limit, a CTE from running in parallel.
  const ids = sql`(select coalesce(array_agg(id) filter (where environment = ${environment}),
    array_agg(id) filter (where environment = 'production'), '{}') ${lists})`;
  return sql`
    select u.*,
      case when u.lists && ${ids} then 0
        when ${removedAt(place, sql`u`)} is not null then 1
        else 2 end as state
    from urls u where u.website_id = ${websiteId}`;
}

const listsOf = (websiteId: number): SQL => sql`from url_lists where website_id = ${websiteId} and version > 0`;

const hasOwnLists = ({ websiteId, environment }: Place): SQL =>
  sql`exists (select ${listsOf(websiteId)} and environment = ${environment})`;

/** When URL `u` left the lists from which it has its state; null if it did not. */
export function removedAt(place: Place, u: SQL): SQL {
  const column = (name: string): SQL => sql`${u}.${sql.identifier(`removed_${name}`)}`;
  return sql`case when ${hasOwnLists(place)} then ${column(place.environment)} else ${column('production')} end`;
}

/** SQL condition: URLs have their states from list `l`. */
export const givesStates = (place: Place): SQL =>
  sql`(l.environment = ${place.environment} or (l.environment = 'production' and not ${hasOwnLists(place)}))`;

/**
 * The same with hits, bot_hits, assistant_hits and weight. `hits` are those of the environment in the last 30 days, of the
 * literal rule with this key, of the unmatched path and of logs; null without any. Weight = 10 x links + clicks + hits.
 */
export function weightedUrls(place: Place): SQL {
  return sql`
    select s.*, h.hits, h.bot_hits, h.assistant_hits,
      (10 * coalesce(s.links, 0)::float8 + coalesce(s.clicks, 0) + coalesce(h.hits, 0)) as weight
    from (${statedUrls(place)}) s left join (${urlHits(place)}) h on h.key = s.url`;
}

function urlHits({ websiteId, environment }: Place): SQL {
  return sql`
    select key, sum(hits)::bigint as hits, sum(bot_hits)::bigint as bot_hits, sum(assistant_hits)::bigint as assistant_hits from (
      select r.key, d.hits, d.bot_hits, d.assistant_hits from (
          select redirect_id, sum(hits) as hits, sum(bot_hits) as bot_hits, sum(assistant_hits) as assistant_hits from redirect_hits
          where website_id = ${websiteId} and environment = ${environment}
            and day > (now() at time zone 'UTC')::date - ${sql.raw(String(HIT_DAYS))}
          group by redirect_id) d
        join redirects r on r.website_id = ${websiteId} and r.id = d.redirect_id and not r.is_regex
      union all
      select path, hits, bot_hits, assistant_hits from not_found where website_id = ${websiteId} and environment = ${environment}
      union all
      select l.url, h.hits, h.bot_hits, h.assistant_hits from url_hits h join urls l on l.id = h.url_id
      where h.website_id = ${websiteId} and h.environment = ${environment}
        and h.day > (now() at time zone 'UTC')::date - ${sql.raw(String(HIT_DAYS))}) n
    group by key`;
}
