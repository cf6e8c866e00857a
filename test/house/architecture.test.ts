/** Holds the imports of src against the table of floors in docs/ARCHITECTURE.md. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Folders from the lowest floor to the highest. Folders of one floor do not import each other; features import to the
 * left.
 */
const FLOORS: string[][] = [
  ...readFileSync(join(ROOT, 'docs', 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| \d+ \| ([^|]+) \|/gm),
].flatMap(([, cell = '']) => {
  const folders = [...cell.matchAll(/`([^`]+)`/g)].map(([, folder = '']) => folder);
  return cell.includes(' < ') ? folders.map((folder) => [folder]) : [folders];
});
const SEES_ONLY_VOCABULARY = ['platform', 'db', 'resolver', 'cli'];

interface Source {
  file: string;
  folder: string;
  text: string;
  imports: string[];
}

function folderOf(file: string): string {
  const parts = file.split('/');
  if (parts.length === 1) return (parts[0] ?? '').replace(/\.ts$/, '');
  return parts[0] === 'surfaces' ? `surfaces/${parts[1]}` : (parts[0] ?? '');
}

const floorOf = (folder: string): number => FLOORS.findIndex((folders) => folders.includes(folder));

const sources: Source[] = globSync('**/*.ts', { cwd: join(ROOT, 'src') }).map((file) => {
  const text = readFileSync(join(ROOT, 'src', file), 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  return { file, folder: folderOf(file), text, imports: specifiers };
});

const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

const offenders = (allowed: (source: Source) => boolean, pattern: RegExp): string[] =>
  sources.filter((source) => !allowed(source) && pattern.test(code(source.text))).map((source) => source.file);

describe('src', () => {
  test('the table and the sources are found', () => {
    expect(FLOORS.flat()).toContain('accounts');
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap((source) => source.imports).length).toBeGreaterThan(300);
  });

  test('every file is in a folder of the table', () => {
    expect(sources.filter((source) => floorOf(source.folder) < 0).map((source) => source.file)).toEqual([]);
  });

  test('imports go down a floor or stay inside the folder', () => {
    const wrong = sources.flatMap((source) =>
      source.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(join(ROOT, 'src'), join(ROOT, 'src', dirname(source.file), specifier)))
        .filter((target) => {
          const folder = folderOf(target);
          if (folder === source.folder) return false;
          if (SEES_ONLY_VOCABULARY.includes(source.folder) && folder !== 'vocabulary') return true;
          return floorOf(folder) >= floorOf(source.folder);
        })
        .map((target) => `${source.file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('rules, formats and suggestions are pure', () => {
    const allowed = /^(vocabulary|resolver|rules|formats|suggestions)\/|^platform\/(clock|scheduling\/time-slice)\.ts$/;
    const wrong = sources
      .filter(({ folder }) => ['rules', 'formats', 'suggestions'].includes(folder))
      .flatMap(({ file, imports }) =>
        imports
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => join(dirname(file), specifier))
          .filter((target) => !allowed.test(target))
          .map((target) => `${file} -> ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test('only http and surfaces import fastify', () => {
    const above = floorOf('http');
    const wrong = sources.filter(
      (source) =>
        floorOf(source.folder) < above &&
        source.imports.some((name) => name === 'fastify' || name.startsWith('@fastify/')),
    );
    expect(wrong.map((source) => source.file)).toEqual([]);
  });

  test('surfaces contain no SQL', () => {
    const wrong = sources.filter(
      (source) =>
        source.folder.startsWith('surfaces/') &&
        source.imports.some((name) => name.startsWith('drizzle-orm') || name === 'pg' || /db\/schema\//.test(name)),
    );
    expect(wrong.map((source) => source.file)).toEqual([]);
  });

  // ESLint checks static imports only. Both builds of the package would cost a start 40 % more CPU time.
  test('only db/drizzle.ts loads drizzle-orm, also by import()', () => {
    expect(offenders(({ file }) => file === 'db/drizzle.ts', /import\('drizzle-orm|from 'drizzle-orm/)).toEqual([]);
  });

  test('only platform/config/config.ts and the entry files read the environment', () => {
    expect(
      offenders(
        ({ file }) => ['platform/config/config.ts', 'main.ts', 'admin.ts', 'cli.ts', 'edge-agent.ts'].includes(file),
        /process\.env/,
      ),
    ).toEqual([]);
  });

  test('only platform/clock.ts reads the time', () => {
    expect(offenders(({ file }) => file === 'platform/clock.ts', /Date\.now\(\)|new Date\(\)/)).toEqual([]);
  });

  test('no file has a generic name', () => {
    const banned = /(^|\/|-)(service|repository|controller|manager|helpers?|utils?|common|shared|index)\.ts$/;
    expect(sources.map((source) => source.file).filter((file) => banned.test(file))).toEqual([]);
  });
});
