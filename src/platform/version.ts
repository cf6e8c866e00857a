import { readFileSync } from 'node:fs';

/** The version of this software, from package.json. */
export const VERSION: string = readVersion();

function readVersion(): string {
  const file: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const version = typeof file === 'object' && file !== null && 'version' in file ? file.version : undefined;
  if (typeof version !== 'string') throw new Error('package.json has no version: restore the file');
  return version;
}
