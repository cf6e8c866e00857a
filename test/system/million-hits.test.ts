import { test } from 'vitest';
import { simulateDays } from '../support/simulated-days.ts';

test.each([1, 3])(
  '1,000,000 hits of 100,000 known visitors over 90 days are all in the reports, on %i process(es)',
  (processes) => simulateDays({ hits: 1_000_000, visitors: 100_000, processes }),
  1_200_000,
);
