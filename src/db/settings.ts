import { randomBytes, randomUUID } from 'node:crypto';
import type { Queryable } from './connection/client.ts';
import { eq } from './drizzle.ts';
import { settings } from './schema/websites.ts';

export async function readSetting(db: Queryable, name: string): Promise<string | undefined> {
  const [row] = await db.select().from(settings).where(eq(settings.name, name));
  return row?.value;
}

/** Reads a setting, and stores what `create` returns if it does not exist. All processes get the same value. */
export async function readOrCreateSetting(db: Queryable, name: string, create: () => string): Promise<string> {
  await db.insert(settings).values({ name, value: create() }).onConflictDoNothing();
  return (await readSetting(db, name)) ?? '';
}

/** A random text that identifies this database, so that files of another one are recognised. */
export function readDatabaseId(db: Queryable): Promise<string> {
  return readOrCreateSetting(db, 'database_id', () => randomUUID());
}

/** The secret of the nonces that requests of checks have. */
export function readCheckSecret(db: Queryable): Promise<string> {
  return readOrCreateSetting(db, 'check_secret', () => randomBytes(32).toString('base64url'));
}

export async function writeSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db.insert(settings).values({ name, value }).onConflictDoUpdate({ target: settings.name, set: { value } });
}
