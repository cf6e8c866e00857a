import { and, asc, eq, gt, lte, sql } from 'drizzle-orm';
import { LOCKS } from '../db/advisory-lock.ts';
import type { Db, Queryable } from '../db/client.ts';
import { signInFailures } from '../db/schema.ts';
import { sha256 } from '../platform/ids.ts';
import { DomainError } from '../vocabulary/error.ts';

const MAX_ATTEMPTS = 10;
const WINDOW_MS = 15 * 60 * 1000;

/**
 * Counts a sign-in attempt for an email, over all processes. Throws RATE_LIMIT_EXCEEDED after 10 in 15 minutes. Call it
 * before verifying the password, so that concurrent guesses cannot exceed the limit; a success then calls
 * clearAttempts.
 */
export async function countAttempt(db: Db, email: string, now: Date): Promise<void> {
  const emailHash = sha256(email);
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.signIn}, ${emailHash.readInt32BE(0)})`);
    const recent = await tx
      .select({ at: signInFailures.at })
      .from(signInFailures)
      .where(and(eq(signInFailures.emailHash, emailHash), gt(signInFailures.at, windowStart(now))))
      .orderBy(asc(signInFailures.at));
    const oldest = recent[recent.length - MAX_ATTEMPTS];
    if (oldest) throw throttled(oldest.at, now);
    await tx.insert(signInFailures).values({ emailHash, at: now });
  });
}

export async function clearAttempts(db: Queryable, email: string): Promise<void> {
  await db.delete(signInFailures).where(eq(signInFailures.emailHash, sha256(email)));
}

/** Deletes attempts that no longer count. */
export async function purgeAttempts(db: Queryable, now: Date): Promise<void> {
  await db.delete(signInFailures).where(lte(signInFailures.at, windowStart(now)));
}

const windowStart = (now: Date): Date => new Date(now.getTime() - WINDOW_MS);

function throttled(oldest: Date, now: Date): DomainError {
  return new DomainError('RATE_LIMIT_EXCEEDED', 'Too many failed attempts for this email', {
    limit: MAX_ATTEMPTS,
    retryAfter: Math.ceil((oldest.getTime() + WINDOW_MS - now.getTime()) / 1000),
  });
}
