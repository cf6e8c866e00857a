/** Recovery codes replace a lost authenticator app. Only their hashes are stored. */
import type { Queryable } from '../../db/connection/client.ts';
import { and, eq } from '../../db/drizzle.ts';
import { recoveryCodes } from '../../db/schema/accounts.ts';
import { randomText, sha256 } from '../../platform/ids.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { recordAudit } from '../audit.ts';

const COUNT = 10;
/** Without characters that are easily confused. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
/** 16 characters of 31 hold 79 random bits, so a plain hash protects them. */
const LENGTH = 16;

/** Stores ten new codes of the user, such as `abcd-efgh-jkmn-pqrs`, instead of the former ones. Returns them. */
export async function replaceRecoveryCodes(tx: Queryable, userId: number): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, newRecoveryCode);
  await deleteRecoveryCodes(tx, userId);
  await tx.insert(recoveryCodes).values(codes.map((code) => ({ userId, codeHash: hashRecoveryCode(code) })));
  return codes;
}

export async function deleteRecoveryCodes(tx: Queryable, userId: number): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
}

export async function countRecoveryCodes(db: Queryable, userId: number): Promise<number> {
  return db.$count(recoveryCodes, eq(recoveryCodes.userId, userId));
}

/** Deletes the code, so that it counts once, and records its use. Returns false if the user has no such code. */
export async function useRecoveryCode(tx: Queryable, actor: Actor, code: string): Promise<boolean> {
  const own = and(eq(recoveryCodes.userId, Number(actor.id)), eq(recoveryCodes.codeHash, hashRecoveryCode(code)));
  const used = await tx.delete(recoveryCodes).where(own).returning();
  if (used.length > 0) await recordAudit(tx, actor, { action: 'user.recovery_code_used' });
  return used.length > 0;
}

const newRecoveryCode = (): string => randomText(LENGTH, ALPHABET).replace(/.{4}(?=.)/g, '$&-');

/** The hash to store and to compare. Ignores case, hyphens and white space. */
function hashRecoveryCode(code: string): Buffer {
  return sha256(code.toLowerCase().replaceAll(/[\s-]/g, ''));
}
