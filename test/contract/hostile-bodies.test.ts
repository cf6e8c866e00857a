/** Bodies made to be expensive, sent to every route that takes one. test/system/hostile-bodies.test.ts sends larger ones. */
import { afterAll, beforeAll, test } from 'vitest';
import { sharedTestDetour, type TestDetour } from '../support/detour.ts';
import { expectNobodyWaits } from '../support/hostile-bodies.ts';

let detour: TestDetour;
beforeAll(async () => {
  detour = await sharedTestDetour();
});
afterAll(() => detour.stop());

test('no body delays the health report and the export of another account', async () => {
  await expectNobodyWaits(detour, { bytes: 100_000, every: 13, floorMs: 500 });
}, 120_000);
