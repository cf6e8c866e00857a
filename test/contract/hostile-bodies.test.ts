/**
 * Bodies made to be expensive, sent to every route that takes one. `HOSTILE_BYTES=30000000 HOSTILE_EVERY=1` sends every
 * kind to every route, with 30 MB each, which takes long.
 */
import { afterAll, beforeAll, test } from 'vitest';
import { startTestDetour, type TestDetour } from '../support/detour.ts';
import { expectNobodyWaits } from '../support/hostile-bodies.ts';
import { inSoak } from '../support/soak.ts';

const BYTES = Number(process.env['HOSTILE_BYTES'] ?? inSoak(1_000_000, 100_000));
const EVERY = Number(process.env['HOSTILE_EVERY'] ?? inSoak(7, 61));
const TIMEOUT_MS = EVERY < 61 ? 3_600_000 : 240_000;

let detour: TestDetour;
beforeAll(async () => {
  // Thousands of requests come from one address.
  detour = await startTestDetour({ TRUST_PROXY: '1' });
});
afterAll(() => detour.stop());

test(
  'no body delays the health report and the export of another account',
  async () => {
    await expectNobodyWaits(detour, { bytes: BYTES, every: EVERY, floorMs: inSoak(500, 1_500) });
  },
  TIMEOUT_MS,
);
