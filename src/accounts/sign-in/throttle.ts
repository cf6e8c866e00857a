import { LOCKS } from '../../db/advisory-lock.ts';
import type { Db, Queryable } from '../../db/connection/client.ts';
import { and, asc, eq, gt, lte, sql } from '../../db/drizzle.ts';
import { signInFailures } from '../../db/schema/accounts.ts';
import { sha256 } from '../../platform/ids.ts';
import { DomainError } from '../../vocabulary/error.ts';

const MAX_ATTEMPTS = 10;
/** From all networks together, without known devices. */
const MAX_ATTEMPTS_PER_EMAIL = 100;
const WINDOW_MS = 15 * 60 * 1000;

/**
 * Who tries a password: a client on a network, or one that the user has signed in from before, by the id of its device
 * or session. Known clients are counted on their own, so that strangers cannot lock a user out.
 */
export type Guesser = { email: string; network: string } | { email: string; knownAs: string };

/** No email contains a space. */
function hashesOf(guesser: Guesser): { emailHash: Buffer; sourceHash: Buffer } {
  return 'network' in guesser
    ? { emailHash: sha256(guesser.email), sourceHash: sha256(guesser.network) }
    : { emailHash: sha256(`${guesser.email} ${guesser.knownAs}`), sourceHash: sha256(guesser.knownAs) };
}

/**
 * Counts an attempt, over all processes. Throws RATE_LIMIT_EXCEEDED after 10 in 15 minutes for an email from one
 * network or known client, or 100 from all networks. Call it before verifying the password, so that concurrent guesses
 * cannot exceed the limit; a success then calls clearAttempts.
 */
export async function countAttempt(db: Db, guesser: Guesser, now: Date): Promise<void> {
  const { emailHash, sourceHash } = hashesOf(guesser);
  await db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.signIn}, ${emailHash.readInt32BE(0)})`);
    const recent = await tx
      .select({ at: signInFailures.at, sourceHash: signInFailures.sourceHash })
      .from(signInFailures)
      .where(and(eq(signInFailures.emailHash, emailHash), gt(signInFailures.at, windowStart(now))))
      .orderBy(asc(signInFailures.at));
    assertBelow(
      MAX_ATTEMPTS,
      recent.filter((attempt) => attempt.sourceHash?.equals(sourceHash)),
      now,
    );
    assertBelow(MAX_ATTEMPTS_PER_EMAIL, recent, now);
    await tx.insert(signInFailures).values({ emailHash, sourceHash, at: now });
  });
}

export async function clearAttempts(db: Queryable, guesser: Guesser): Promise<void> {
  const { emailHash, sourceHash } = hashesOf(guesser);
  const own = and(eq(signInFailures.emailHash, emailHash), eq(signInFailures.sourceHash, sourceHash));
  await db.delete(signInFailures).where(own);
}

export async function purgeAttempts(db: Queryable, now: Date): Promise<void> {
  await db.delete(signInFailures).where(lte(signInFailures.at, windowStart(now)));
}

const windowStart = (now: Date): Date => new Date(now.getTime() - WINDOW_MS);

function assertBelow(limit: number, attempts: { at: Date }[], now: Date): void {
  const oldest = attempts[attempts.length - limit];
  if (!oldest) return;
  throw new DomainError('RATE_LIMIT_EXCEEDED', 'Too many failed attempts for this email', {
    limit,
    retryAfter: Math.ceil((oldest.at.getTime() + WINDOW_MS - now.getTime()) / 1000),
  });
}
