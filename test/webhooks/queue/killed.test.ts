import { expect, test } from 'vitest';
import { killAgainAndAgain } from '../../support/killing.ts';

test('killed four times at random moments under load: nothing is lost, and deliveries in flight are sent again within 3 s of the restart', async () => {
  const toll = await killAgainAndAgain(4);
  expect(toll).toMatchObject({ kills: 4, unstored: 0, lost: 0, changed: 0 });
  expect(toll.acknowledged).toBeGreaterThanOrEqual(24);
  expect(toll.events).toBeGreaterThanOrEqual(toll.acknowledged);
  expect(toll.interrupted).toBeGreaterThan(0);
  expect(toll.repeated).toBeLessThanOrEqual(toll.interrupted);
  expect(toll.slowestMs).toBeLessThan(3_000);
  console.log(
    `${toll.kills} kills: ${toll.acknowledged} changes answered, ${toll.events} events, ${toll.lost} lost, ${toll.interrupted} interrupted, ${toll.repeated} came twice, sent again ${Math.round(toll.slowestMs)} ms after the restart at worst`,
  );
}, 180_000);
