import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'common-passwords.txt');

let common: ReadonlySet<string> | undefined;

/**
 * True if the password is among the most common ones, whatever its case. The list has those that are long enough;
 * test/accounts/password.test.ts compares it with its source.
 */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(readFileSync(FILE, 'utf8').split('\n'));
  return common.has(password.normalize('NFKC').toLowerCase());
}
