import { expect, test } from 'vitest';
import { findingIn, findingUrl } from '../../dashboard/src/screens/health/view.ts';
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
