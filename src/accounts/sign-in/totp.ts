/** Second factor: one-time codes of an authenticator app (RFC 6238), and recovery codes in case it is lost. */
import { Secret, TOTP } from 'otpauth';
import type { Db, Queryable } from '../../db/connection/client.ts';
import { and, eq, isNotNull, isNull, lt, or } from '../../db/drizzle.ts';
import { totpSecrets } from '../../db/schema/accounts.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, invalid } from '../../vocabulary/error.ts';
import { recordAudit } from '../audit.ts';
import { verifyOwnPassword } from './own-password.ts';
import { countRecoveryCodes, deleteRecoveryCodes, replaceRecoveryCodes, useRecoveryCode } from './recovery-codes.ts';
import { endPasswordReset } from './session.ts';

const PERIOD_MS = 30_000;
/** Codes of the previous and the next period count too, because clocks differ. */
const WINDOW = 1;

export const totpContext = (userId: number | string): string => `totp of user ${userId}`;

const totpOf = (secret: string, email: string): TOTP =>
  new TOTP({ issuer: 'Detour', label: email, secret: Secret.fromBase32(secret) });

/**
 * Begins the set-up: returns a new secret and its otpauth URL. Signing in needs no code until confirmTotp. Throws
 * CONFLICT if TOTP is on.
 */
export async function startTotp(
  db: Db,
  actor: Actor,
  { secretBox }: { secretBox: SecretBox },
): Promise<{ secret: string; otpauthUrl: string }> {
  const userId = Number(actor.id);
  const secret = new Secret({ size: 20 }).base32;
  const row = { userId, secret: secretBox.seal(secret, totpContext(userId)) };
  const stored = await db
    .insert(totpSecrets)
    .values(row)
    .onConflictDoUpdate({
      target: totpSecrets.userId,
      set: { secret: row.secret },
      setWhere: isNull(totpSecrets.confirmedAt),
    })
    .returning();
  if (stored.length === 0) {
    throw new DomainError('CONFLICT', 'TOTP is on already', { details: 'Turn it off first, to use another device' });
  }
  return { secret, otpauthUrl: totpOf(secret, actor.name).toString() };
}

/**
 * Turns TOTP on with a code of the app and returns ten recovery codes, which cannot be read again. Ends an open password
 * reset. Throws VALIDATION_ERROR for a wrong code, and CONFLICT unless startTotp was called before.
 */
export async function confirmTotp(
  db: Db,
  actor: Actor,
  code: string,
  { secretBox, now }: { secretBox: SecretBox; now: Date },
): Promise<string[]> {
  const userId = Number(actor.id);
  const isPending = and(eq(totpSecrets.userId, userId), isNull(totpSecrets.confirmedAt));
  return db.transaction(async (tx) => {
    const [row] = await tx.select().from(totpSecrets).where(isPending).for('update');
    if (!row) {
      throw new DomainError('CONFLICT', 'There is no TOTP to confirm', { details: 'Call POST /api/auth/totp first' });
    }
    const step = stepOf(secretBox.open(row.secret, totpContext(userId)), code, now);
    if (step === undefined) throw invalid('code', 'is not the current code; check the clock of the device');
    await tx.update(totpSecrets).set({ confirmedAt: now, lastStep: step }).where(isPending);
    await endPasswordReset(tx, userId);
    const codes = await replaceRecoveryCodes(tx, userId);
    await recordAudit(tx, actor, { action: 'user.totp_enabled' });
    return codes;
  });
}

/** Turns TOTP off, and ends an open password reset. Throws as verifyOwnPassword. */
export async function turnOffTotp(
  db: Db,
  actor: Actor,
  input: { password: string; sessionId: string },
  now: Date,
): Promise<void> {
  await verifyOwnPassword(db, actor, { path: 'password', ...input }, now);
  await db.transaction((tx) => deleteTotp(tx, actor, Number(actor.id)));
}

/** Deletes the secret, the recovery codes and an open password reset of a user of the actor's account. */
export async function deleteTotp(tx: Queryable, actor: Actor, userId: number): Promise<void> {
  await endPasswordReset(tx, userId);
  await deleteRecoveryCodes(tx, userId);
  const deleted = await tx.delete(totpSecrets).where(eq(totpSecrets.userId, userId)).returning();
  if (deleted.some((row) => row.confirmedAt !== null)) {
    await recordAudit(tx, actor, { action: 'user.totp_disabled', target: `user ${userId}` });
  }
}

/** Whether signing in needs a code, and how many recovery codes are unused. */
export async function totpState(db: Queryable, userId: number): Promise<{ isOn: boolean; recoveryCodesLeft: number }> {
  const isOn = (await db.$count(totpSecrets, isOnFor(userId))) > 0;
  return { isOn, recoveryCodesLeft: await countRecoveryCodes(db, userId) };
}

const isOnFor = (userId: number) => and(eq(totpSecrets.userId, userId), isNotNull(totpSecrets.confirmedAt));

/**
 * Checks the second factor of a sign-in. Each code counts once. Throws TOTP_REQUIRED without a code, and
 * INVALID_CREDENTIALS for a wrong or used one. No effect if TOTP is off.
 */
export async function requireSecondFactor(
  tx: Queryable,
  actor: Actor,
  code: string | undefined,
  { secretBox, now }: { secretBox: SecretBox; now: Date },
): Promise<void> {
  const userId = Number(actor.id);
  const [row] = await tx.select().from(totpSecrets).where(isOnFor(userId));
  if (!row) return;
  if (code === undefined || code.trim() === '') {
    throw new DomainError('TOTP_REQUIRED', 'A code is required', {
      details: 'code: send the code of your authenticator app, or a recovery code',
    });
  }
  const step = stepOf(secretBox.open(row.secret, totpContext(userId)), code, now);
  if (step !== undefined && (await useStep(tx, userId, step))) return;
  if (step === undefined && (await useRecoveryCode(tx, actor, code))) return;
  throw new DomainError('INVALID_CREDENTIALS', 'The code is wrong', {
    details: 'code: send the current code; each code and each recovery code counts once',
  });
}

/** Whether it is a valid code of the user's app, which counts once. False if TOTP is off. */
export async function useTotpCode(
  tx: Queryable,
  userId: number,
  code: string,
  { secretBox, now }: { secretBox: SecretBox; now: Date },
): Promise<boolean> {
  const [row] = await tx.select().from(totpSecrets).where(isOnFor(userId));
  const step = row && stepOf(secretBox.open(row.secret, totpContext(userId)), code, now);
  return step !== undefined && (await useStep(tx, userId, step));
}

/** The period of the code, as a number since 1970; undefined if no accepted period has it. */
function stepOf(secret: string, code: string, now: Date): number | undefined {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = totpOf(secret, '').validate({ token, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? undefined : Math.floor(now.getTime() / PERIOD_MS) + delta;
}

/** False if a code of this period or a later one was used. */
async function useStep(tx: Queryable, userId: number, step: number): Promise<boolean> {
  const isUnused = or(isNull(totpSecrets.lastStep), lt(totpSecrets.lastStep, step));
  const used = await tx
    .update(totpSecrets)
    .set({ lastStep: step })
    .where(and(eq(totpSecrets.userId, userId), isUnused))
    .returning();
  return used.length > 0;
}
