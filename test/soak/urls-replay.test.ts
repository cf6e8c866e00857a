/** The whole history of test/cli/urls/replay.test.ts, and two others. */
import { test } from 'vitest';
import { replayHistory } from '../support/replay-history.ts';
import { siteHistory } from '../support/site-history.ts';

test.each([1, 2, 3])('every vanished URL is found in its commit, with seed %i', { timeout: 300_000 }, (seed) =>
  replayHistory([...siteHistory({ seed })]),
);
