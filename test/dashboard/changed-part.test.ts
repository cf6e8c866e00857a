import { expect, test } from 'vitest';
import { changedParts } from '../../dashboard/src/screens/deployments/changed-part.ts';

/** The changed part in brackets. */
function marked(before: string, after: string): [string, string] {
  const parts = changedParts(before, after);
  const show = (text: string, { begin, end }: { begin: number; end: number }): string =>
    `${text.slice(0, begin)}[${text.slice(begin, end)}]${text.slice(end)}`;
  return [show(before, parts.before), show(after, parts.after)];
}

test.each([
  ['/offers/2025/shoes', '/offers/2026/shoes', '/offers/[2025]/shoes', '/offers/[2026]/shoes'],
  ['/summer-sale', '/winter-sale', '/[summer]-sale', '/[winter]-sale'],
  ['/a', '/a/b', '/a[]', '/a[/b]'],
  ['/a/a/b', '/a/b', '/a/[a/]b', '/a/[]b'],
  ['/x', '', '[/x]', '[]'],
  ['/same', '/same', '/same[]', '/same[]'],
  ['/new', 'https://shop.example.com/new', '[]/new', '[https://shop.example.com]/new'],
  ['/p?id=1&x=2', '/p?id=7&x=2', '/p?id=[1]&x=2', '/p?id=[7]&x=2'],
  ['/café/1', '/cafe/1', '/[café]/1', '/[cafe]/1'],
  // Right to left: the whole segment, not the word that differs.
  ['/שלום-עולם/a', '/שלום-ירח/a', '/[שלום-עולם]/a', '/[שלום-ירח]/a'],
])('%s becomes %s', (before, after, first, second) => {
  expect(marked(before, after)).toEqual([first, second]);
  expect(marked(after, before)).toEqual([second, first]);
});
