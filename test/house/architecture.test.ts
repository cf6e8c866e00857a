/** The floors of docs/ARCHITECTURE.md, as a test: imports go down a floor or stay in their room; among features only to the left. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const FEATURES = [
  'accounts',
  'websites',
  'webhooks',
  'versions',
  'hits',
  'redirects',
  'deployments',
  'analytics',
];
const SURFACES = ['session-api', 'key-api', 'analytics-api', 'edge', 'dashboard', 'docs', 'ops'];

/** From the ground up. Rooms of one floor do not see each other, but for features, which look to the left. */
const FLOORS: string[][] = [
  ['vocabulary'],
  ['platform', 'db', 'resolver'],
  ...FEATURES.map((feature) => [feature]),
  ['http'],
  SURFACES.map((surface) => `surfaces/${surface}`),
  ['app'],
  ['upkeep', 'first-start'],
  ['start'],
  ['main', 'admin'],
];
const SEES_ONLY_VOCABULARY = ['platform', 'db', 'resolver'];

interface Source {
  file: string;
  room: string;
  text: string;
  imports: string[];
}

function roomOf(file: string): string {
  const parts = file.split('/');
  if (parts.length === 1) return (parts[0] ?? '').replace(/\.ts$/, '');
  return parts[0] === 'surfaces' ? `surfaces/${parts[1]}` : (parts[0] ?? '');
}

const floorOf = (room: string): number => FLOORS.findIndex((rooms) => rooms.includes(room));

const sources: Source[] = globSync('**/*.ts', { cwd: join(ROOT, 'src') }).map((file) => {
  const text = readFileSync(join(ROOT, 'src', file), 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  return { file, room: roomOf(file), text, imports: specifiers };
});

const code = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

const offenders = (allowed: (source: Source) => boolean, pattern: RegExp): string[] =>
  sources
    .filter((source) => !allowed(source) && pattern.test(code(source.text)))
    .map((source) => source.file);

describe('the house', () => {
  test('the inspector sees the house', () => {
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.flatMap((source) => source.imports).length).toBeGreaterThan(300);
  });

  test('every file is in a room of a floor', () => {
    expect(sources.filter((source) => floorOf(source.room) < 0).map((source) => source.file)).toEqual([]);
  });

  test('imports go down, or stay in the room', () => {
    const wrong = sources.flatMap((source) =>
      source.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => relative(join(ROOT, 'src'), join(ROOT, 'src', dirname(source.file), specifier)))
        .filter((target) => {
          const room = roomOf(target);
          if (room === source.room) return false;
          if (SEES_ONLY_VOCABULARY.includes(source.room) && room !== 'vocabulary') return true;
          return floorOf(room) >= floorOf(source.room);
        })
        .map((target) => `${source.file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('only http and surfaces know fastify', () => {
    const above = floorOf('http');
    const wrong = sources.filter(
      (source) =>
        floorOf(source.room) < above &&
        source.imports.some((name) => name === 'fastify' || name.startsWith('@fastify/')),
    );
    expect(wrong.map((source) => source.file)).toEqual([]);
  });

  test('surfaces hold no SQL', () => {
    const wrong = sources.filter(
      (source) =>
        source.room.startsWith('surfaces/') &&
        source.imports.some(
          (name) => name.startsWith('drizzle-orm') || name === 'pg' || /db\/(schema|drizzle)\.ts$/.test(name),
        ),
    );
    expect(wrong.map((source) => source.file)).toEqual([]);
  });

  test('the environment is read in platform/config.ts and the entry files alone', () => {
    expect(
      offenders(({ file }) => ['platform/config.ts', 'main.ts', 'admin.ts'].includes(file), /process\.env/),
    ).toEqual([]);
  });

  test('the time comes from platform/clock.ts', () => {
    expect(offenders(({ file }) => file === 'platform/clock.ts', /Date\.now\(\)|new Date\(\)/)).toEqual([]);
  });

  test('no file is named for what it is not about', () => {
    const banned = /(^|\/|-)(service|repository|controller|manager|helpers?|utils?|common|shared|index)\.ts$/;
    expect(sources.map((source) => source.file).filter((file) => banned.test(file))).toEqual([]);
  });
});
