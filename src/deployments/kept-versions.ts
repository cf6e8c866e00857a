import { sql } from '../db/drizzle.ts';

/** Versions of an environment that can be gone back to whatever their age, the live one included. */
export const KEPT_VERSIONS = 100;
/** And whatever their number. */
export const KEPT_DAYS = 90;

/**
 * True for a row `v` of versions whose rules can be read again, beside `we`, the row of its environment. What is kept at one moment
 * was kept at every moment before: a step of the retention takes nothing that a later call may ask for.
 */
export const isKept = sql.raw(
  `(v.version > we.live_version - ${KEPT_VERSIONS} or v.deployed_at > clock_timestamp() - interval '${KEPT_DAYS} days')`,
);
