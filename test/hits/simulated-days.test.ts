/** The large one of this, 1,000,000 hits, is test/system/million-hits.test.ts. */
import { test } from 'vitest';
import { simulateDays } from '../support/simulated-days.ts';

test.each([1, 3])(
  '20,000 hits of known visitors over 90 days are all in the reports, day by day, on %i process(es)',
  (processes) => simulateDays({ hits: 20_000, visitors: 4_000, processes }),
  120_000,
);
