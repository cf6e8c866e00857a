import { expect, test } from 'vitest';
import { killAgainAndAgain } from '../support/killing.ts';

/** Services that are killed in parallel, each with a separate database, because restarts mostly wait. */
const LANES = 4;
const KILLS = 12;

test(`killed ${KILLS} times at random moments under load: nothing is lost, and sending resumes within 3 s of each restart`, async () => {
  const tolls = await Promise.all(Array.from({ length: LANES }, () => killAgainAndAgain(KILLS / LANES)));
  console.log(tolls);
  for (const toll of tolls) {
    expect(toll).toMatchObject({ kills: KILLS / LANES, unstored: 0, lost: 0, changed: 0 });
    expect(toll.interrupted).toBeGreaterThan(0);
    expect(toll.repeated).toBeLessThanOrEqual(toll.interrupted);
    expect(toll.slowestMs).toBeLessThan(3_000);
  }
}, 1_500_000);
