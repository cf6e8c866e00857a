import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const read = new Map<string, { usesServer: boolean; imports: string[] }>();

/**
 * Returns whether a test file, or a file of test/ that it imports, uses the PostgreSQL server of the run. Those tests
 * are integration tests; all others are unit tests. `file` is relative to the root of the project.
 */
export function needsDatabase(file: string): boolean {
  const reached = new Set([file]);
  for (const name of reached) {
    const { usesServer, imports } = readTest(name);
    if (usesServer) return true;
    for (const imported of imports) reached.add(imported);
  }
  return false;
}

function readTest(file: string): { usesServer: boolean; imports: string[] } {
  const existing = read.get(file);
  if (existing) return existing;
  const text = readFileSync(file, 'utf8');
  const names = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g)].map(([, name = '']) => name);
  const imports = names.map((name) => join(dirname(file), name));
  const result = {
    usesServer: text.includes("inject('pgUrl')"),
    // A text of a test may look like an import.
    imports: imports.filter((name) => name.startsWith('test/') && existsSync(name)),
  };
  read.set(file, result);
  return result;
}
