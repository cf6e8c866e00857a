import { expect, test } from 'vitest';
import { findingIn, findingUrl, isUnchecked, noneText } from '../../dashboard/src/screens/health/view.ts';
import { environmentIn } from '../../dashboard/src/urls.ts';

const query = (text: string) => new URLSearchParams(text);
const none = { loops: 0, broken_targets: 0, chains: 0, shadowed: 0, duplicates: 0 };

test('shows the finding in the URL, otherwise the most severe one', () => {
  expect(findingIn(query('show=duplicates'), { ...none, loops: 3 })).toBe('duplicates');
  expect(findingIn(query(''), { ...none, chains: 1, duplicates: 9 })).toBe('chains');
  expect(findingIn(query('show=nonsense'), { ...none, shadowed: 1 })).toBe('shadowed');
  expect(findingIn(query(''), { ...none, chains: 1, broken_targets: 1 })).toBe('broken_targets');
  expect(findingIn(query(''), none)).toBe('loops');
});

test('an unknown environment is production', () => {
  expect(environmentIn(query('environment=staging'))).toBe('staging');
  expect(environmentIn(query('environment=prod'))).toBe('production');
});

test('a tab keeps the environment and closes the dialog', () => {
  expect(findingUrl('chains', query('environment=staging&show=loops&do=flatten'))).toBe(
    '?environment=staging&show=chains',
  );
});

test('a website without old redirects does not say that all were used', () => {
  expect(noneText('Production', '2026-11-03T10:00:00.000Z', '2026-09-01')).toMatch(
    /^No redirect in Production is older than 90 days yet: the oldest is of .*2026/,
  );
  expect(noneText('Production', '2026-08-31T23:59:59.000Z', '2026-09-01')).toBe(
    'Every redirect in Production that is older than 90 days was used since.',
  );
  expect(noneText('Staging', undefined, '2026-09-01')).toBe('Staging has no redirects.');
});

test('targets are unchecked until a check of their kind and environment has asked some', () => {
  const check = (kind: string, environment: string, done: number) => ({ kind, environment, progress: { done } });
  const unchecked = (checks: object[], next_cursor: string | null = null) =>
    isUnchecked({ checks: checks as never, next_cursor }, 'production');
  expect(unchecked([])).toBe(true);
  expect(unchecked([check('sources', 'production', 3), check('targets', 'staging', 3)])).toBe(true);
  expect(unchecked([check('targets', 'production', 0)])).toBe(true);
  expect(unchecked([check('targets', 'production', 1)])).toBe(false);
  expect(unchecked([], 'next')).toBe(false);
});
