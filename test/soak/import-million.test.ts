/** The limit of the largest plan, with a file that exceeds it. */
import { expect, test } from 'vitest';
import { startTestDetour } from '../support/detour.ts';
import { eventsOf, expectRefusal, importFile, newWebsite, redirectsOf } from '../surfaces/session-api/site.ts';

test('over 1,000,000 rows on enterprise are 413, and nothing is applied', async () => {
  const detour = await startTestDetour();
  const owner = await detour.account();
  const id = await newWebsite(owner);
  const file = Buffer.from(`old_path,new_path\n${'/same,/x\n'.repeat(1_000_001)}`);
  expectRefusal(await importFile(owner, new Uint8Array(file), { website_id: String(id) }), 413, 'TOO_MANY_REDIRECTS');
  expect(await redirectsOf(owner, id)).toEqual([]);
  expect(await eventsOf(detour, owner, id)).toEqual([]);
  await detour.stop();
});
