import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { freshDatabase } from '../support/database.ts';

test('a fresh database has the whole schema and is empty', async () => {
  const { db, close } = await freshDatabase();
  const { rows } = await db.execute<{ n: number }>(sql`select count(*)::int n from accounts`);
  expect(rows[0]?.n).toBe(0);
  await close();
});

test('what one file writes is not seen by another', async () => {
  const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
  await one.db.execute(sql`insert into settings (name, value) values ('seen', 'here')`);
  const { rows } = await other.db.execute(sql`select 1 from settings where name = 'seen'`);
  expect(rows).toHaveLength(0);
  await Promise.all([one.close(), other.close()]);
});
