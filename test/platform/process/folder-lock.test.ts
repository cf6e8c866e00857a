import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockHolder, takeFolderLock } from '../../../src/platform/process/folder-lock.ts';
import { isPostgresOf, processIdentity } from '../../../src/platform/process/process-identity.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'detour-lock-'));
  file = join(folder, 'postgres.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('a folder that is taken is refused in one line that names the process and the way out', () => {
  const unlock = takeFolderLock(file, '/data');
  expect(() => takeFolderLock(file, '/data')).toThrow(
    `the data folder /data is in use by process ${process.pid}: stop that one, or set DATA_DIR to another folder`,
  );
  expect(lockHolder(file)).toBe(process.pid);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
});

test('a released folder can be locked again', () => {
  takeFolderLock(file, '/data')();
  takeFolderLock(file, '/data')();
  expect(lockHolder(file)).toBeUndefined();
});

test('a lock whose process is gone is taken over', async () => {
  writeFileSync(file, JSON.stringify({ pid: await deadPid(), identity: 'boot 1' }));
  expect(lockHolder(file)).toBeUndefined();
  const unlock = takeFolderLock(file, '/data');
  expect(lockHolder(file)).toBe(process.pid);
  expect(readdirSync(folder)).toEqual(['postgres.lock']);
  unlock();
});

test('a lock whose number another process has now is taken over, also when that is our own', () => {
  writeFileSync(file, JSON.stringify({ pid: process.pid, identity: 'another start' }));
  expect(lockHolder(file)).toBeUndefined();
  takeFolderLock(file, '/data')();
});

test('an unreadable lock does not block a start', () => {
  writeFileSync(file, '');
  takeFolderLock(file, '/data')();
  expect(readdirSync(folder)).toEqual([]);
});

test('the lock of a live process is left as it is', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const lock = JSON.stringify({ pid, identity: processIdentity(pid) });
  writeFileSync(file, lock);
  expect(() => takeFolderLock(file, '/data')).toThrow(`in use by process ${pid}`);
  expect(readFileSync(file, 'utf8')).toBe(lock);
  child.kill();
  await once(child, 'exit');
  expect(lockHolder(file)).toBeUndefined();
});

test('a process is identified by more than its number', async () => {
  expect(processIdentity(process.pid)).toBe(processIdentity(process.pid));
  expect(processIdentity(await deadPid())).toBeUndefined();
  expect(processIdentity(process.ppid)).not.toBe(processIdentity(process.pid));
});

test('a process that is no PostgreSQL server is never taken for one', () => {
  expect(isPostgresOf(process.pid, process.cwd())).toBe(false);
});
