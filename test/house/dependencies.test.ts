/** Holds package.json against the code: an unused package is a risk without a use. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..', '..');
const OWN = 'test/house/dependencies.test.ts';
const packages = z.record(z.string(), z.string());
const { dependencies, devDependencies, scripts } = z
  .object({ dependencies: packages, devDependencies: packages, scripts: packages })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

/** The text of all files of these folders and patterns. */
const textOf = (...patterns: string[]): string =>
  globSync(patterns, { cwd: ROOT })
    .filter((file) => /\.(ts|tsx|mjs|js|css)$/.test(file) && file !== OWN)
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');

const names = (text: string, name: string): boolean =>
  ["'", '"', '/'].some((end) => text.includes(`'${name}${end}`) || text.includes(`"${name}${end}`)) ||
  text.includes(`/node_modules/${name}/`);

/** The commands that a package installs. */
function programsOf(name: string): string[] {
  const file = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
  const { bin } = z.object({ bin: z.union([z.string(), packages]).default({}) }).parse(JSON.parse(file));
  return typeof bin === 'string' ? [name] : Object.keys(bin);
}

test('every package that runs in production is imported by the service, the dashboard or their build', () => {
  const text = textOf('src/**/*', 'dashboard/**/*', 'scripts/build-*.ts');
  expect(Object.keys(dependencies).length).toBeGreaterThan(15);
  expect(Object.keys(dependencies).filter((name) => !names(text, name))).toEqual([]);
});

test('every development package is imported or run by a script; types belong to a package in use', () => {
  const text = textOf('test/**/*', 'bench/**/*', 'scripts/*', '*.ts', '*.js');
  const commands = `${Object.values(scripts).join(' ')} ${readFileSync(join(ROOT, '.ci/run'), 'utf8')}`;
  const words = new Set(`${commands} ${text}`.split(/[\s'"`/]+/));
  const isUsed = (name: string): boolean => names(text, name) || programsOf(name).some((program) => words.has(program));
  const unused = Object.keys(devDependencies).filter((name) =>
    name.startsWith('@types/')
      ? name !== '@types/node' && !Object.hasOwn({ ...dependencies, ...devDependencies }, name.slice('@types/'.length))
      : !isUsed(name),
  );
  expect(unused).toEqual([]);
});
