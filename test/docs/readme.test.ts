/** Compares the lists in README.md with the code. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VERSION } from '../../src/platform/version.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const README = read('README.md');

const sectionOf = (title: string): string =>
  README.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';

describe('README.md', () => {
  test('its configuration table has exactly the variables of platform/config/config.ts', () => {
    const schema = /z\.object\(\{\n(.*?)^\}\);/ms.exec(read('src/platform/config/config.ts'))?.[1] ?? '';
    const variables = [...schema.matchAll(/^ {2}([A-Z_]+):/gm)].map((match) => match[1] ?? '');
    const listed = [...sectionOf('Configuration').matchAll(/^\| `([A-Z_]+)` \|/gm)].map((match) => match[1]);
    expect(variables).toContain('DATABASE_URL');
    expect(listed.toSorted()).toEqual(variables.toSorted());
  });

  test('it lists exactly the administration commands', () => {
    const source = read('src/admin/commands.ts').split('export const COMMANDS')[1] ?? '';
    const commands = [...source.matchAll(/^ {2}(?:'([a-z -]+)'|([a-z]+)): \{$/gm)].map((match) => match[1] ?? match[2]);
    const listed = [...sectionOf('Administration').matchAll(/^\| `([a-z -]+?)(?: \[?--|`)/gm)];
    expect(commands).toContain('account create');
    expect(listed.map((match) => match[1])).toEqual(commands);
  });
});

/** The anchors of a page, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('every page', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'RELEASING.md',
    'CHANGELOG.md',
    ...globSync('docs/{,adr/}*.md', { cwd: ROOT }),
  ];

  test.each(pages)('%s links only to files and headings that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  test.each(pages)('%s has no command with a fixed port of the service', (page) => {
    const commands = [...read(page).matchAll(/\bcurl\b(?:.*\\\n)*.*/g)].map(([command]) => command);
    expect(commands.filter((command) => /(localhost|127\.0\.0\.1):3000/.test(command))).toEqual([]);
  });

  test('every npm script that a page names exists', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/npm run ([a-z:]+)/g)].map((match) => match[1] ?? ''),
    );
    expect(named).toContain('admin');
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

describe('docs/security.md', () => {
  test('every test that it names for an attack exists', () => {
    const named = [...read('docs/security.md').matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe('CHANGELOG.md', () => {
  test('its newest version is that of package.json', () => {
    const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(read('CHANGELOG.md')) ?? [];
    expect(newest).toBe(VERSION);
  });
});
