import { expect, test } from 'vitest';
import { removalQuestion, reviewText } from '../../dashboard/src/screens/deployments/review-text.ts';
import type { ReviewedAction } from '../../dashboard/src/api/deployments.ts';
import { reviewedIn, reviewUrl } from '../../dashboard/src/urls.ts';

test('more than 10 % of the live redirects are removed only after a question with both numbers', () => {
  expect(removalQuestion(10, 0, 100)).toBeUndefined();
  expect(removalQuestion(0, 0, 0)).toBeUndefined();
  expect(removalQuestion(11, 0, 100)).toBe('Remove 11 of 100 live redirects');
  expect(removalQuestion(4_731, 0, 4_732)).toBe('Remove 4,731 of 4,732 live redirects');
  expect(removalQuestion(1, 0, 1)).toBe('Remove all 1 live redirect');
  expect([removalQuestion(0, 0, undefined), removalQuestion(2, 0, undefined)]).toEqual([
    undefined,
    'Remove 2 live redirects',
  ]);
});

test.each<ReviewedAction>([
  { action: 'deploy' },
  { action: 'promote', source: 'staging' },
  { action: 'rollback', version: 12 },
])('the URL keeps the action: $action', (reviewed) => {
  const url = new URL(reviewUrl(7, 'production', reviewed, { force: true }), 'http://x.example');
  expect(url.pathname).toBe('/websites/7/deployments/review');
  expect(url.searchParams.get('force')).toBe('true');
  expect(reviewedIn(url.searchParams)).toEqual(reviewed);
});

test('unknown actions are deployments', () => {
  for (const text of ['', 'action=promote&source=x', 'action=rollback&version=0']) {
    expect(reviewedIn(new URLSearchParams(text))).toEqual({ action: 'deploy' });
  }
});

test('the title names both environments of a promotion', () => {
  expect(reviewText('production', { action: 'promote', source: 'staging' }, false).title).toBe(
    'Promote staging to production',
  );
  expect(reviewText('staging', { action: 'rollback', version: 3 }, false).title).toBe('Roll back staging to version 3');
  expect(reviewText('staging', { action: 'deploy' }, true)).toMatchObject({
    title: 'Deploy to staging anyway?',
    verb: 'Deploy anyway',
  });
});

test('removals that a promotion has left are named apart', () => {
  const question = removalQuestion(76, 75, 90);
  expect(question).toBe('Remove 76 of 90 live redirects, 75 of them live only by a promotion');
});
