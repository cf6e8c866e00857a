import { eq } from 'drizzle-orm';
import type { Queryable } from './client.ts';
import { settings } from './schema.ts';

/** Reads a setting of the installation; undefined if it was never written. */
export async function readSetting(db: Queryable, name: string): Promise<string | undefined> {
  const [row] = await db.select().from(settings).where(eq(settings.name, name));
  return row?.value;
}

export async function writeSetting(db: Queryable, name: string, value: string): Promise<void> {
  await db.insert(settings).values({ name, value }).onConflictDoUpdate({ target: settings.name, set: { value } });
}
