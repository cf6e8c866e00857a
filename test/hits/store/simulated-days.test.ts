/** The large one of this, 1,000,000 hits on one process and on three, is test/system/million-hits.test.ts. */
import { test } from 'vitest';
import { simulateDays } from '../../support/simulated-days.ts';

test(
  '20,000 hits of known visitors over 90 days are all in the reports, day by day, on three processes',
  () => simulateDays({ hits: 20_000, visitors: 4_000, processes: 3 }),
  120_000,
);
