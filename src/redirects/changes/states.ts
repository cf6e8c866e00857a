/**
 * States of a redirect around a change. The former state is the revision that ends at the revision of the change. The
 * state after it is the revision that ends next, or the current redirect. A revision without `created_at` stands for
 * the time between a deletion and a return: the redirect did not exist.
 */
import { type SQL, sql } from '../../db/drizzle.ts';
import { type RawRedirect, type RedirectRow, rowOf } from '../rule/redirect.ts';

/** The states of a redirect before and after a change, as JSON; null if it did not exist. */
export interface RawStates {
  before: RawRedirect | null;
  after: RawRedirect | null;
}

/** The states; `rev` of a former state is that of its rule, unless the change left the rule as it was. */
export interface States {
  before: RedirectRow | null;
  after: RedirectRow | null;
}

export function toStates({ before, after }: RawStates): States {
  return { before: before && rowOf(before), after: after && rowOf(after) };
}

const former = (alias: string): SQL =>
  sql.raw(`to_jsonb(${alias}) || jsonb_build_object('id', ${alias}.redirect_id, 'rev', ${alias}.rev_from)`);

/** SQL columns of RawStates, from the rows that `joinStates` adds. */
export const STATES = sql`case when b.created_at is not null then ${former('b')} end as before,
    case when a.rev_to is null then to_jsonb(r) when a.created_at is not null then ${former('a')} end as after`;

/**
 * SQL joins: the former state `b` and the next one, `a` or the current redirect `r`, of each row of `t`, which has `id`
 * and `revision`.
 */
export function joinStates(websiteId: number): SQL {
  const website = sql`${websiteId}::int`;
  return sql`
    left join redirect_revisions b on b.website_id = ${website} and b.rev_to = t.revision and b.redirect_id = t.id
    left join lateral (
      select * from redirect_revisions n where n.website_id = ${website} and n.redirect_id = t.id and n.rev_to > t.revision
      order by n.rev_to limit 1) a on true
    left join redirects r on r.website_id = ${website} and r.id = t.id`;
}
