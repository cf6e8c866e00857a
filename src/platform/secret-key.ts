import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeDataDir } from './data-dir.ts';
import { readOrCreatePrivateFile } from './private-file.ts';

/**
 * The key of this data folder for secrets at rest: 32 bytes, made the first time and kept in `secret.key` (0600). Without it
 * the secrets in the database are lost, so it belongs in every backup of the folder.
 */
export function keptSecretKey(dataDir: string): Buffer {
  makeDataDir(dataDir);
  const file = join(dataDir, 'secret.key');
  const key = Buffer.from(
    readOrCreatePrivateFile(file, () => `${randomBytes(32).toString('base64')}\n`),
    'base64',
  );
  if (key.length !== 32)
    throw new Error(`${file} does not hold 32 bytes in base64: put the former file back`);
  return key;
}
