/** The built dashboard: its size, and compliance with its Content-Security-Policy. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { dashboardBuild } from '../../dashboard/vite.config.ts';

/** of the scripts of a screen's first view, and with the parts that load later */
const FIRST_VIEW_BYTES = 67_500;
const SCREEN_BYTES = 94_500;
/** scripts of a first view */
const FIRST_VIEW_FILES = 13;

const dir = mkdtempSync(join(tmpdir(), 'detour-dashboard-'));
interface Chunk {
  file: string;
  isEntry?: boolean;
  imports?: string[];
  dynamicImports?: string[];
}

let manifest: Record<string, Chunk>;
let html: string;
let assets: { name: string; text: string }[];
beforeAll(async () => {
  // Vite would otherwise build for NODE_ENV "test", which is 7 % larger than what users load.
  vi.stubEnv('NODE_ENV', 'production');
  const options = dashboardBuild(dir);
  await build({ ...options, build: { ...options.build, manifest: true }, logLevel: 'error' });
  manifest = JSON.parse(readFileSync(join(dir, '.vite', 'manifest.json'), 'utf8'));
  html = readFileSync(join(dir, 'index.html'), 'utf8');
  assets = readdirSync(join(dir, 'assets')).map((name) => ({
    name,
    text: readFileSync(join(dir, 'assets', name), 'utf8'),
  }));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** The files of a chunk and its imports; with `withParts` also of its dynamic imports, the entry's excepted. */
function closureOf(name: string, withParts: boolean, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (!chunk || seen.has(chunk.file)) return seen;
  seen.add(chunk.file);
  const parts = withParts && !chunk.isEntry ? (chunk.dynamicImports ?? []) : [];
  for (const other of [...(chunk.imports ?? []), ...parts]) closureOf(other, withParts, seen);
  return seen;
}

const gzipBytes = (file: string): number => gzipSync(readFileSync(join(dir, file)), { level: 9 }).length;

test('the scripts of each screen are under 67.5 kB gzip in at most 13 files for its first view, and under 93.5 kB with all parts', () => {
  const [entry = ''] = Object.keys(manifest).filter((name) => manifest[name]?.isEntry);
  const screens = manifest[entry]?.dynamicImports ?? [];
  expect(screens.length).toBeGreaterThan(5);
  const scriptsOf = (screen: string, withParts: boolean): { files: number; bytes: number } => {
    const files = [...closureOf(screen, withParts, closureOf(entry, false))].filter((file) => file.endsWith('.js'));
    return { files: files.length, bytes: files.reduce((sum, file) => sum + gzipBytes(file), 0) };
  };
  const sizes = screens.map((screen) => ({ screen, first: scriptsOf(screen, false), all: scriptsOf(screen, true) }));
  expect(Math.min(...sizes.map(({ first }) => first.bytes))).toBeGreaterThan(10_000);
  const tooLarge = sizes.filter(
    ({ first, all }) => first.bytes >= FIRST_VIEW_BYTES || first.files > FIRST_VIEW_FILES || all.bytes >= SCREEN_BYTES,
  );
  expect(tooLarge).toEqual([]);
});

test('the page has no inline scripts, styles or handlers, and references only own files', () => {
  expect(html).not.toMatch(/<script(?![^>]*\bsrc="\/assets\/)[^>]*>/);
  expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=/);
  const references = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
  expect(references.length).toBeGreaterThan(2);
  expect(references.filter((url) => !url.startsWith('/assets/'))).toEqual([]);
});

test('no file contacts another host or evaluates text as code', () => {
  for (const { name, text } of assets) {
    // XML namespaces and example URLs in texts are not requested.
    const addresses = [...text.matchAll(/https?:\/\/\w[\w.-]*/g)].map((match) => match[0]);
    const hosts = new Set(addresses.filter((address) => !/w3\.org$|example(\.com)?$/.test(address)));
    expect([name, [...hosts]]).toEqual([name, []]);
    expect([name, /\beval\(|new Function\(|@import|url\(["']?data:/.test(text)]).toEqual([name, false]);
  }
});

test('the name of every asset contains a hash of its content', () => {
  expect(assets.filter(({ name }) => !/-[\w-]{8}\.\w+$/.test(name))).toEqual([]);
});
