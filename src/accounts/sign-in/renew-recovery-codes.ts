import type { Db } from '../../db/connection/client.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, invalid } from '../../vocabulary/error.ts';
import { recordAudit, recordRejection } from '../audit.ts';
import { verifyOwnPassword } from './own-password.ts';
import { replaceRecoveryCodes } from './recovery-codes.ts';
import { clearAttempts, countAttempt } from './throttle.ts';
import { totpState, useTotpCode } from './totp.ts';

/**
 * Returns ten new recovery codes; the former ones are invalid at once. Throws as verifyOwnPassword, CONFLICT if TOTP is
 * off, and VALIDATION_ERROR for a wrong or used code of the app. Codes are counted apart from passwords, whose success
 * clears their count.
 */
export async function renewRecoveryCodes(
  db: Db,
  actor: Actor,
  { password, code, sessionId }: { password: string; code: string; sessionId: string },
  context: { secretBox: SecretBox; now: Date },
): Promise<string[]> {
  const userId = Number(actor.id);
  const { isOn } = await totpState(db, userId);
  if (!isOn) throw new DomainError('CONFLICT', 'TOTP is off', { details: 'Turn it on; that returns recovery codes' });
  await verifyOwnPassword(db, actor, { path: 'password', password, sessionId }, context.now);
  const guesser = { email: actor.name, knownAs: `${sessionId} code` };
  try {
    await countAttempt(db, guesser, context.now);
    return await db.transaction(async (tx) => {
      if (!(await useTotpCode(tx, userId, code, context)))
        throw invalid('code', 'is not the current code of the app, or was used; wait for the next one');
      const codes = await replaceRecoveryCodes(tx, userId);
      await clearAttempts(tx, guesser);
      await recordAudit(tx, actor, { action: 'user.recovery_codes_renewed' });
      return codes;
    });
  } catch (error) {
    await recordRejection(db, actor, error, { reason: 'wrong code' });
    throw error;
  }
}
