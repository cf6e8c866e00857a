import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/** A hash of the files that the patterns match and of the Node.js version. Of content, not times: every file of a fresh clone is new. */
export function fingerprint(patterns: readonly string[]): string {
  const hash = createHash('sha256').update(process.version);
  const files = globSync(patterns, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.toSorted()) {
    hash.update(`${relative(ROOT, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
