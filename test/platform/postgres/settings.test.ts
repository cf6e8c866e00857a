import { expect, test } from 'vitest';
import { postgresSettings } from '../../../src/platform/postgres/settings.ts';

const GB = 1024 ** 3;
const DISK = { freeDisk: 500 * GB, sharedMemory: 8 * GB };

test.each([
  [1, { shared_buffers: '128MB', work_mem: '4MB', maintenance_work_mem: '64MB', effective_cache_size: '512MB' }],
  [24, { shared_buffers: '2048MB', work_mem: '32MB', maintenance_work_mem: '1024MB' }],
  [64, { shared_buffers: '2048MB', work_mem: '32MB', maintenance_work_mem: '1024MB' }],
])('a machine of %i GB is used without being filled', (memory, expected) => {
  expect(postgresSettings({ memory: memory * GB, ...DISK }, true)).toMatchObject(expected);
});

test('the log takes at most an eighth of the disk that is left', () => {
  const settings = (freeDisk: number) =>
    postgresSettings({ memory: GB, sharedMemory: GB, freeDisk }, true)['max_wal_size'];
  expect(settings(500 * GB)).toBe('4096MB');
  expect(settings(8 * GB)).toBe('1024MB');
  expect(settings(0)).toBe('256MB');
});

test('a container with the usual 64 MB of shared memory keeps parallel queries out of it', () => {
  const small = { memory: GB, freeDisk: GB, sharedMemory: GB / 16 };
  expect(postgresSettings(small, true)).toMatchObject({ dynamic_shared_memory_type: 'mmap' });
  expect(postgresSettings({ memory: GB, ...DISK }, true)).not.toHaveProperty('dynamic_shared_memory_type');
});

test('only a server for tests may lose what was committed', () => {
  const machine = { memory: GB, ...DISK };
  expect(postgresSettings(machine, false)).toMatchObject({ fsync: 'off', full_page_writes: 'off' });
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit'])
    expect(postgresSettings(machine, true)).not.toHaveProperty(name);
});

test('only this machine can connect', () => {
  expect(postgresSettings({ memory: GB, ...DISK }, true)).toMatchObject({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  });
});
