import { test } from 'vitest';
import { simulateDays } from '../support/simulated-days.ts';

test(
  '300,000 hits of 30,000 known visitors over 90 days are all in the reports, on three processes',
  () => simulateDays({ hits: 300_000, visitors: 30_000, processes: 3 }),
  1_200_000,
);
