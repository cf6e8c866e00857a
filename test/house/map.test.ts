/** Holds the file names in docs/ARCHITECTURE.md against src. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const MAP = readFileSync(join(ROOT, 'docs', 'ARCHITECTURE.md'), 'utf8');
const MAX_FILES_OF_WALK = 8;

const filesIn = (text: string): string[] => [...text.matchAll(/`([\w/-]+(?:\.ts|\/))`/g)].map(([, path = '']) => path);

test('every file and folder that the map names exists', () => {
  const missing = filesIn(MAP).filter((path) => !existsSync(join(ROOT, 'src', path)) && !existsSync(join(ROOT, path)));
  expect(filesIn(MAP).length).toBeGreaterThan(60);
  expect(missing).toEqual([]);
});

test('no walk enters more than eight files', () => {
  const walks = (MAP.split('## Walks')[1]?.split('## Reports')[0] ?? '').split(/^\*\*/m).slice(1);
  expect(walks.length).toBeGreaterThanOrEqual(5);
  for (const walk of walks) {
    const entered = [...walk.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) => filesIn(cell));
    expect(entered.length, walk.slice(0, 40)).toBeGreaterThan(4);
    expect(entered.length, walk.slice(0, 40)).toBeLessThanOrEqual(MAX_FILES_OF_WALK);
  }
});
