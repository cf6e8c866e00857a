import { randomBytes } from 'node:crypto';
import type { Db } from '../db/client.ts';
import { settings } from '../db/schema.ts';
import { readSetting } from '../db/settings.ts';

const NAME = 'visitor_key';

/**
 * The key under which visitors are hashed: made once for the installation and kept in the database, so that all processes and all days
 * tell the same visitor by the same hash. Without it the hashes lead back to nobody.
 */
export async function readVisitorKey(db: Db): Promise<Buffer> {
  await db
    .insert(settings)
    .values({ name: NAME, value: randomBytes(16).toString('base64') })
    .onConflictDoNothing();
  return Buffer.from((await readSetting(db, NAME)) ?? '', 'base64');
}
