/**
 * Replaces package.json by that of the package while npm packs, and restores it afterwards: `prepack` and `postpack`. The
 * commands and the edge library have no dependencies and run on Node.js 20; with those of the service, `npx` would
 * install PostgreSQL.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const MANIFEST = join(ROOT, 'package.json');
const ORIGINAL = join(ROOT, 'dist', 'package.json.original');
const KEPT = ['name', 'version', 'private', 'description', 'license', 'type', 'bin', 'exports', 'files'];

// After a pack that was killed, package.json is still the replaced one.
restore();
if (process.argv[2] === 'replace') replace();

function replace(): void {
  const text = readFileSync(MANIFEST, 'utf8');
  const manifest: Record<string, unknown> = JSON.parse(text);
  const kept = Object.entries(manifest).filter(([field]) => KEPT.includes(field));
  const packed = {
    ...Object.fromEntries(kept),
    description: 'CLI, edge agent and edge library of Detour, a redirect management service.',
  };
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(ORIGINAL, text);
  writeFileSync(MANIFEST, `${JSON.stringify({ ...packed, engines: { node: '>=20' } }, null, 2)}\n`);
}

function restore(): void {
  if (existsSync(ORIGINAL)) renameSync(ORIGINAL, MANIFEST);
}
