import { lte } from '../db/drizzle.ts';
import type { Queryable } from '../db/client.ts';
import { sessions } from '../db/schema.ts';
import { forgetOldAttempts } from './throttle.ts';

/** Deletes sessions that have expired and sign-in failures that no longer count. For a loop; once an hour is plenty. */
export async function tidyAccounts(db: Queryable, now: Date): Promise<void> {
  await db.delete(sessions).where(lte(sessions.expiresAt, now));
  await forgetOldAttempts(db, now);
}
