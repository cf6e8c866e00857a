import { type SQL, sql } from '../db/drizzle.ts';

/** Rows of lower tiers are not in the index by tier: a redirect that is not has at most so many hits that day. */
export const MOST_UNINDEXED = 3;
/** What the index holds; it is used only where a query says so in these words. */
export const INDEXED = sql`h.tier > 4`;

/**
 * The most hits that a row of this tier of `redirect_hits` can have: 0 hits are tier 0, others tier 1 + 2 log2(hits), rounded down. What
 * is rounded wrong in the schema's expression comes into the next tier, so this holds all the same.
 */
export function mostOfTier(tier: SQL): SQL {
  return sql`(ceil(power(2, ${tier} / 2.0::float8)) - 1)`;
}
