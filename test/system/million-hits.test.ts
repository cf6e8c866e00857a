import { test } from 'vitest';
import { simulateDays } from '../support/simulated-days.ts';

test(
  '1,000,000 hits of 100,000 known visitors over 90 days are all in the reports, on three processes',
  () => simulateDays({ hits: 1_000_000, visitors: 100_000, processes: 3 }),
  1_200_000,
);
