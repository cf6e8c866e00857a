import { expect, test } from 'vitest';
import { answeredIn, isFiltered, viewOf } from '../../dashboard/src/screens/urls/view.ts';

const view = (text: string) => viewOf(new URLSearchParams(text));

test('lost URLs come first if there are any; a chosen answer stays', () => {
  expect(answeredIn(view(''), 3)).toBe('lost');
  expect(answeredIn(view(''), 0)).toBeUndefined();
  expect(answeredIn(view(''), undefined)).toBeUndefined();
  expect(answeredIn(view('answered=all'), 3)).toBeUndefined();
  expect(answeredIn(view('answered=lost'), 0)).toBe('lost');
  expect(answeredIn(view('answered=nonsense'), 0)).toBeUndefined();
});

test('filters and order come from the query; unknown values are absent', () => {
  const { filter, sort } = view(
    'environment=staging&state=removed&source=visitors&type=page&list=docs&q=shoe&sort=-hits',
  );
  expect(filter).toEqual({
    environment: 'staging',
    state: 'removed',
    source: 'visitors',
    type: 'page',
    list: 'docs',
    q: 'shoe',
  });
  expect(sort).toBe('-hits');
  const unknown = view('state=x&source=&type=y&sort=z');
  expect(isFiltered(unknown)).toBe(false);
  expect(unknown.sort).toBe('-weight');
  expect(isFiltered(view('type=image'))).toBe(true);
});
