/**
 * Replaces package.json and README.md by those of the package while npm packs, and restores them afterwards: `prepack` and
 * `postpack`. The commands and the edge library have no dependencies and run on Node.js 20; with those of the service,
 * `npx` would install PostgreSQL.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const KEPT = ['name', 'version', 'private', 'description', 'license', 'type', 'bin', 'exports', 'files'];
/** The replaced files, and how their text becomes that of the package. */
const REPLACED: [name: string, toPacked: (text: string) => string][] = [
  ['package.json', packedManifest],
  ['README.md', () => readFileSync(join(import.meta.dirname, 'package-readme.md'), 'utf8')],
];
const originalOf = (name: string): string => join(ROOT, 'dist', `${name}.original`);

// After a pack that was killed, the files are still the replaced ones.
restore();
if (process.argv[2] === 'replace') replace();

function replace(): void {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  for (const [name, toPacked] of REPLACED) {
    const text = readFileSync(join(ROOT, name), 'utf8');
    writeFileSync(originalOf(name), text);
    writeFileSync(join(ROOT, name), toPacked(text));
  }
}

function restore(): void {
  for (const [name] of REPLACED) if (existsSync(originalOf(name))) renameSync(originalOf(name), join(ROOT, name));
}

function packedManifest(text: string): string {
  const manifest: Record<string, unknown> = JSON.parse(text);
  const packed = {
    ...Object.fromEntries(Object.entries(manifest).filter(([field]) => KEPT.includes(field))),
    description: 'CLI, edge agent and edge library of Detour, a redirect management service.',
    engines: { node: '>=20' },
  };
  return `${JSON.stringify(packed, null, 2)}\n`;
}
