import { expect, test } from 'vitest';
import { sql } from '../../src/db/drizzle.ts';
import { startTestDetour } from '../support/detour.ts';
import { createSite } from '../support/site.ts';

test('an unexpected error of a request is logged with its id, also after its body was read', async () => {
  const lines: string[] = [];
  const detour = await startTestDetour({}, { onLog: (line) => void lines.push(line) });
  const owner = await detour.account();
  const site = await createSite(owner, ['shop.example']);
  await detour.db.execute(sql`alter table changes rename to changes_away`);
  const body = { website_id: site, old_path: '/a', new_path: '/b' };
  const { status, body: error } = await owner.call('POST', '/api/redirects', body);
  await detour.db.execute(sql`alter table changes_away rename to changes`);
  await detour.stop();
  const [, id = ''] = /^Request (\S+)$/.exec(error.details) ?? [];
  expect(status).toBe(500);
  expect(id).not.toBe('');
  expect(lines.filter((line) => line.includes(id))).toEqual([expect.stringContaining('"msg":"request failed"')]);
});
