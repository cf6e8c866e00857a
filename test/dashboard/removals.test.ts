import { expect, test } from 'vitest';
import { removalsIn } from '../../dashboard/src/screens/deployments/review-text.ts';

const details =
  'max_removals: 1,234 of 20,000 live rules of production would be removed, and 0 may be; check the difference, then send a higher max_removals or none';

test('the counts of a rejected deployment are read from its details', () => {
  expect(removalsIn({ code: 'TOO_MANY_REMOVALS', details })).toEqual({
    removed: 1_234,
    total: 20_000,
    environment: 'production',
  });
  expect(removalsIn({ code: 'BUSY', details })).toBeUndefined();
  expect(removalsIn({ code: 'TOO_MANY_REMOVALS', details: 'other words' })).toBeUndefined();
});
