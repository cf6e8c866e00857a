/** test/system/million-hits.test.ts does the same with 1,000,000 hits. */
import { test } from 'vitest';
import { simulateDays } from '../../support/simulated-days.ts';

test(
  'reports over 90 days contain each of 20,000 hits that three processes counted',
  () => simulateDays({ hits: 20_000, visitors: 4_000, processes: 3 }),
  120_000,
);
