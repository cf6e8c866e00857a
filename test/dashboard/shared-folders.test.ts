/** The folders that a line above the list names. */
import { expect, test } from 'vitest';
import { folderLines, foldersOf } from '../../dashboard/src/screens/redirects/list/shared-folders.ts';

const rows = (from: string, to: string | null, count = 3) =>
  Array.from({ length: count }, (_, at) => ({ old_path: `${from}${at}`, new_path: to && `${to}${at}` }));
const linesOf = (list: ReturnType<typeof rows>, hasMore = false): string[] =>
  folderLines(foldersOf(list), list, hasMore).map(({ text, folder }) => `${text} ${folder}`);

test.each([
  ['/en/shop/summer/', '/en/shop/summer/', ['All paths begin with /en/shop/summer/']],
  ['/en/shop/', '/sale/summer/', ['All sources begin with /en/shop/', 'All targets begin with /sale/summer/']],
  ['/en/shop/', null, ['All sources begin with /en/shop/']],
  ['/docs/', '/guide/', []],
])('%s to %s', (from, to, lines) => {
  expect(linesOf(rows(from, to))).toEqual(lines);
});

test('a list with other paths, or of which not all rows are loaded, explains the ellipsis', () => {
  const most = [...rows('/en/shop/', '/sale/summer/', 20), { old_path: '/about', new_path: 'https://other.example/' }];
  expect(linesOf(most)).toEqual(['In sources, /…/ is /en/shop/', 'In targets, /…/ is /sale/summer/']);
  expect(linesOf(rows('/en/shop/', '/en/shop/'), true)).toEqual(['In paths, /…/ is /en/shop/']);
});
