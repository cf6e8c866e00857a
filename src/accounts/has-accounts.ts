import type { Queryable } from '../db/client.ts';
import { accounts } from '../db/schema.ts';

/** False on a database where nobody has an account yet. */
export async function hasAccounts(db: Queryable): Promise<boolean> {
  const found = await db.select({ id: accounts.id }).from(accounts).limit(1);
  return found.length > 0;
}
