import { expect, test } from 'vitest';
import { removalsIn, removalsText } from '../../dashboard/src/screens/deployments/removals.ts';

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

test('the question names what is removed, and what the screen showed', () => {
  const counts = { removed: 2, total: 5, environment: 'staging' };
  expect(removalsText({ ...counts, shown: 0 })).toMatch(/^This removes 2 of 5 live redirects of staging\./);
  expect(removalsText({ ...counts, removed: 5, shown: 1 })).toMatch(
    /^This removes all 5 live redirects of staging\..* The screen showed 1: redirects were deleted since\.$/,
  );
});
