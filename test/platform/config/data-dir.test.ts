import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  readOrCreatePrivateFile,
  readPrivateFile,
  writePrivateFile,
  keptSecretKey,
  openDataDirWarning,
  userName,
} from '../../../src/platform/config/data-dir.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'detour-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (file: string) => statSync(file).mode & 0o777;

test('a private file is readable by its owner alone, also where it replaces one that others could read', () => {
  const file = join(folder, 'deep', 'credentials.json');
  writePrivateFile(file, 'first');
  expect(modeOf(file)).toBe(0o600);
  const open = join(folder, 'open');
  writeFileSync(open, 'old', { mode: 0o644 });
  writePrivateFile(open, 'new');
  expect(modeOf(open)).toBe(0o600);
  expect(readPrivateFile(open)).toBe('new');
});

test('a file that is there is not created again, and no draft is left', () => {
  const file = join(folder, 'once');
  expect(readOrCreatePrivateFile(file, () => 'first')).toBe('first');
  expect(readOrCreatePrivateFile(file, () => 'second')).toBe('first');
  expect(readdirSync(folder)).toEqual(['once']);
});

test('of two that create it at once, both read what the first wrote', () => {
  const file = join(folder, 'once');
  const mine = readOrCreatePrivateFile(file, () => {
    writeFileSync(file, 'the other was first');
    return 'mine';
  });
  expect(mine).toBe('the other was first');
  expect(readdirSync(folder)).toEqual(['once']);
});

test('what is not there reads as undefined', () => {
  expect(readPrivateFile(join(folder, 'none'))).toBeUndefined();
});

test('the secret key is made once, 32 bytes, in a private file', () => {
  const key = keptSecretKey(folder);
  expect(key).toHaveLength(32);
  expect(keptSecretKey(folder)).toEqual(key);
  expect(modeOf(join(folder, 'secret.key'))).toBe(0o600);
});

test('a damaged secret key is refused and left as it is', () => {
  writeFileSync(join(folder, 'secret.key'), 'short');
  expect(() => keptSecretKey(folder)).toThrow('secret.key does not hold 32 bytes');
  expect(readFileSync(join(folder, 'secret.key'), 'utf8')).toBe('short');
});

test('a data folder that cannot be created fails with an error that names DATA_DIR', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => keptSecretKey(join(folder, 'file', 'data'))).toThrow(
    /^cannot write to the data folder \S+\/file\/data: set DATA_DIR/,
  );
});

test.runIf(process.platform === 'linux')(
  'a data folder where no folder can be made is refused rather than tried for ever',
  () => {
    expect(() => keptSecretKey('/proc/detour/data')).toThrow(/^cannot write to the data folder/);
  },
);

test('a data folder is made with its parents', () => {
  expect(keptSecretKey(join(folder, 'a', 'b'))).toHaveLength(32);
});

test('a new data folder is closed to other users, and its parents keep the usual mode', () => {
  keptSecretKey(join(folder, 'parent', 'data'));
  expect(modeOf(join(folder, 'parent', 'data'))).toBe(0o700);
  expect(modeOf(join(folder, 'parent'))).toBe(0o777 & ~process.umask());
  expect(openDataDirWarning(join(folder, 'parent', 'data'))).toBeUndefined();
});

test('an existing folder that other users can open keeps its mode, with a warning that names the fix', () => {
  chmodSync(folder, 0o755);
  keptSecretKey(folder);
  expect(modeOf(folder)).toBe(0o755);
  expect(openDataDirWarning(folder)).toBe(
    `other users of this machine can open the data folder ${folder} (mode 0755): run chmod 700 ${folder}`,
  );
  chmodSync(folder, 0o770);
  expect(openDataDirWarning(folder)).toBeUndefined();
  expect(openDataDirWarning(join(folder, 'none'))).toBeUndefined();
});

test('a user has a name if the machine knows one', () => {
  expect(userName(0)).toBe('root');
  expect(userName(3_999_999)).toBe('user 3999999');
});
