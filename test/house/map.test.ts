/** Holds the file names and the walks of docs/ARCHITECTURE.md, and the READMEs of src, against src. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { countWalks } from '../../scripts/count-walks.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const MAP = read('docs/ARCHITECTURE.md');
const READMES = globSync('src/**/README.md', { cwd: ROOT });
/** The most files that each walk enters, by its first words. */
const MAX_FILES = new Map([
  ['A visitor', 8],
  ['A create', 12],
  ['A CSV row', 20],
  ['A sync', 22],
  ['An undo', 12],
  ['A rule', 18],
  ['A deployment', 10],
  ['A hit', 9],
  ['An event', 9],
]);

const filesIn = (text: string): string[] =>
  [...text.matchAll(/(?<!\[)`([\w/-]+(?:\.tsx?|\.txt|\/))`/g)].map(([, path = '']) => path);

/** The rows of the tables "To change | Open" of a README. */
const changesIn = (text: string): string[] =>
  [...text.matchAll(/^\| To change \| Open.*\n\|[-|]+\|\n((?:\|.*\n)+)/gm)].flatMap(([, rows = '']) =>
    rows.trimEnd().split('\n'),
  );

/** The paths that are neither below `src` nor below the root, nor in one of the other folders. */
const missing = (paths: string[], folders: string[] = []): string[] =>
  paths.filter((path) => !['src', '.', ...folders].some((folder) => existsSync(join(ROOT, folder, path))));

/** The pages of the repository that a page links to. */
const linksOf = (page: string): string[] =>
  [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => join(dirname(page), path));

test('every file and folder that the map names exists', () => {
  expect(filesIn(MAP).length).toBeGreaterThan(60);
  expect(missing(filesIn(MAP))).toEqual([]);
});

test('the map leads to every README with a table of changes, in at most 25 entries', () => {
  const section = MAP.split('## To change something')[1]?.split(/^## /m)[0] ?? '';
  const named = linksOf('docs/ARCHITECTURE.md');
  expect(READMES.filter((page) => changesIn(read(page)).length > 0 && !named.includes(page))).toEqual([]);
  expect(section.match(/^- \[/gm)?.length).toBeLessThanOrEqual(25);
});

test('the tables of changes are found', () => {
  expect(READMES.flatMap((page) => changesIn(read(page))).length).toBeGreaterThan(120);
});

describe.each(READMES)('%s', (page) => {
  test('its table of changes names paths below src or the root', () => {
    const rows = changesIn(read(page));
    expect(rows.filter((row) => filesIn(row).length === 0 && !row.includes(']('))).toEqual([]);
    expect(missing(filesIn(rows.join('\n')))).toEqual([]);
  });

  test('every file and page that it names exists', () => {
    expect(missing(filesIn(read(page)), [dirname(page)])).toEqual([]);
    expect(missing(linksOf(page))).toEqual([]);
  });
});

test('no walk enters more files than its limit, counted by imports', () => {
  const walks = countWalks();
  expect(walks.map(({ title }) => title)).toEqual([...MAX_FILES.keys()]);
  for (const { title, files } of walks) {
    expect(files.length, title).toBeGreaterThan(4);
    expect(files.length, `${title}: ${files.join(' ')}`).toBeLessThanOrEqual(MAX_FILES.get(title) ?? 0);
  }
});

test('every file that a comment names exists, with its path below src or the dashboard, or beside the comment', () => {
  const missing = globSync('{src,dashboard/src}/**/*.{ts,tsx}', { cwd: ROOT }).flatMap((file) => {
    const text = read(file);
    const comments = [...text.matchAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm)].map(([comment]) => comment).join('\n');
    return [...comments.matchAll(/(?<![\w.*/-])(?:[\w-]+\/)*[\w-]+\.(?:tsx?|css|sql|md)\b/g)]
      .filter(
        ([path]) => !['src', '.', 'dashboard/src', dirname(file)].some((base) => existsSync(join(ROOT, base, path))),
      )
      .map(([path]) => `${file}: ${path}`);
  });
  expect(missing).toEqual([]);
});
