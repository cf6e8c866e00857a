/** Holds the file names and the walks of docs/ARCHITECTURE.md against src. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countWalks } from '../../scripts/count-walks.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MAP = readFileSync(join(ROOT, 'docs', 'ARCHITECTURE.md'), 'utf8');
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

const filesIn = (text: string): string[] => [...text.matchAll(/`([\w/-]+(?:\.ts|\/))`/g)].map(([, path = '']) => path);

test('every file and folder that the map names exists', () => {
  const missing = filesIn(MAP).filter((path) => !existsSync(join(ROOT, 'src', path)) && !existsSync(join(ROOT, path)));
  expect(filesIn(MAP).length).toBeGreaterThan(60);
  expect(missing).toEqual([]);
});

test('no walk enters more files than its limit, counted by imports', () => {
  const walks = countWalks();
  expect(walks.map(({ title }) => title)).toEqual([...MAX_FILES.keys()]);
  for (const { title, files } of walks) {
    expect(files.length, title).toBeGreaterThan(4);
    expect(files.length, `${title}: ${files.join(' ')}`).toBeLessThanOrEqual(MAX_FILES.get(title) ?? 0);
  }
});
