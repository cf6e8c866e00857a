import { type SQL, sql } from 'drizzle-orm';

/**
 * The most hits that a row of this tier of `redirect_hits` can have: 0 hits are tier 0, others tier 1 + 2 log2(hits), rounded down. What
 * is rounded wrong in the schema's expression comes into the next tier, so this holds all the same.
 */
export function mostOfTier(tier: SQL): SQL {
  return sql`(ceil(power(2, ${tier} / 2.0::float8)) - 1)`;
}
