import { expect, test } from 'vitest';
import { killAgainAndAgain } from '../support/killing.ts';

test('killed a hundred times at random moments under load: nothing is lost, and sending goes on within 3 s of each restart', async () => {
  const toll = await killAgainAndAgain(100);
  console.log(toll);
  expect(toll).toMatchObject({ kills: 100, unstored: 0, lost: 0, changed: 0 });
  expect(toll.interrupted).toBeGreaterThan(0);
  expect(toll.repeated).toBeLessThanOrEqual(toll.interrupted);
  expect(toll.slowestMs).toBeLessThan(3_000);
}, 1_500_000);
