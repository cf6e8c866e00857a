import type { Db } from '../db/connection/client.ts';
import { readSetting } from '../db/settings.ts';
import { webhooks } from '../db/schema/webhooks.ts';
import { readVisitorKey, VISITOR_KEY } from '../hits/count/visitor.ts';
import { createSecretBox, type SecretBox, type SecretKeys, UnknownKeyError } from '../platform/secret-box.ts';
import { secretContext } from '../webhooks/sending/sign.ts';

const SAMPLE_SIZE = 100;

/**
 * Throws one line if the keys do not open the secrets of this database, so that a service with a wrong SECRET_KEY does
 * not start. The key of visitors, which exists once, is the evidence; before its creation, secrets of webhooks are.
 */
export async function checkSecretKey(db: Db, keys: SecretKeys): Promise<void> {
  const box = createSecretBox(keys);
  try {
    if ((await readSetting(db, VISITOR_KEY.setting)) === undefined) await checkWebhooks(db, box);
    await readVisitorKey(db, box);
  } catch (error) {
    if (!(error instanceof UnknownKeyError)) throw error;
    throw new Error(
      'SECRET_KEY is not the key of this database: set the key that sealed its secrets as SECRET_KEY, or as SECRET_KEY_PREVIOUS to change it; if it is lost, run: npm run admin -- secrets rotate --unreadable discard',
      { cause: error },
    );
  }
}

/** Throws if there are secrets and none can be opened. */
async function checkWebhooks(db: Db, box: SecretBox): Promise<void> {
  const { id, secret } = webhooks;
  const sample = await db.select({ id, secret }).from(webhooks).limit(SAMPLE_SIZE);
  let failure: unknown;
  for (const row of sample) {
    if (row.secret === null) continue;
    try {
      box.open(row.secret, secretContext(row.id));
      return;
    } catch (error) {
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
}
