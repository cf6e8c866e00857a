/** Large bodies made to be expensive: every kind to every route that takes one. */
import { afterAll, beforeAll, test } from 'vitest';
import { startTestDetour, type TestDetour } from '../support/detour.ts';
import { expectNobodyWaits } from '../support/hostile-bodies.ts';

const BYTES = Number(process.env['HOSTILE_BYTES'] ?? 30_000_000);

let detour: TestDetour;
beforeAll(async () => {
  // Thousands of requests come from one address.
  detour = await startTestDetour({ TRUST_PROXY: '1' });
});
afterAll(() => detour.stop());

test('no body of 30 MB delays the health report and the export of another account', async () => {
  await expectNobodyWaits(detour, { bytes: BYTES, every: 1, floorMs: 500 });
}, 3_600_000);
