import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The file's text, or undefined where there is none. */
export function readPrivateFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Writes the file whole or not at all, readable by its owner alone (0600); one that is there is replaced. */
export function writePrivateFile(file: string, text: string): void {
  renameSync(draftOf(file, text), file);
}

/** The file's text; where there is none it is written first. Of several processes at once, one writes and all read that. */
export function readOrCreatePrivateFile(file: string, create: () => string): string {
  const found = readPrivateFile(file);
  if (found !== undefined) return found;
  const draft = draftOf(file, create());
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8');
}

function draftOf(file: string, text: string): string {
  const draft = `${file}.${process.pid}`;
  mkdirSync(dirname(file), { recursive: true });
  rmSync(draft, { force: true }); // the mode below counts only for a file that is made
  writeFileSync(draft, text, { mode: 0o600 });
  return draft;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
