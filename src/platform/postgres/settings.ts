import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { readable } from '../process/process-identity.ts';

const MB = 1024 * 1024;
const GB = 1024 * MB;

/** Resources that the settings depend on, in bytes. */
export interface Machine {
  memory: number;
  freeDisk: number;
  /** of /dev/shm; a container has 64 MB by default */
  sharedMemory: number;
}

/** The memory available to this process (within a container's limit), and the free space on the disk of `folder`. */
export function measureMachine(folder: string): Machine {
  const limit = process.constrainedMemory();
  return {
    memory: limit > 0 ? Math.min(limit, totalmem()) : totalmem(),
    freeDisk: freeBytes(folder),
    sharedMemory: process.platform === 'linux' ? freeBytes('/dev/shm') : Number.POSITIVE_INFINITY,
  };
}

function freeBytes(folder: string): number {
  const disk = readable(() => statfsSync(folder));
  // Unknown: settings for the smallest machine work on any.
  return disk ? disk.bavail * disk.bsize : 0;
}

const MIN_CONNECTIONS = 300;
/** For admin commands, and for the connections of a process that crashed. */
const RESERVED_CONNECTIONS = 20;

/**
 * Settings of the embedded server for processes that open up to `connections`. PostgreSQL's own defaults suit a machine of 128 MB and make an import of 1,000,000
 * rows 1.7 times slower. Without `durable`, for tests, a power failure may lose everything.
 */
export function postgresSettings(machine: Machine, durable: boolean, connections = 0): Record<string, string> {
  const { memory, freeDisk, sharedMemory } = machine;
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: String(Math.max(MIN_CONNECTIONS, connections + RESERVED_CONNECTIONS)),
    shared_buffers: megabytes(memory / 8, 64 * MB, durable ? 2 * GB : 128 * MB),
    effective_cache_size: megabytes(memory / 2, 128 * MB, 64 * GB),
    work_mem: megabytes(memory / 512, 4 * MB, 32 * MB),
    maintenance_work_mem: megabytes(memory / 16, 64 * MB, GB),
    // An import writes about 1 GB of log. A checkpoint during it would write every page again.
    max_wal_size: megabytes(freeDisk / 8, 256 * MB, 4 * GB),
    min_wal_size: '80MB',
    checkpoint_timeout: '15min',
    wal_buffers: '16MB',
    // Without replicas, rows copied into a table of the same transaction need no log.
    wal_level: 'minimal',
    max_wal_senders: '0',
    random_page_cost: '1.1',
    // Compiling a short query costs more than running it.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // Parallel queries store their hash tables in shared memory, or in a file in the data folder.
    ...(sharedMemory < 256 * MB ? { dynamic_shared_memory_type: 'mmap' } : {}),
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
}

function megabytes(bytes: number, min: number, max: number): string {
  return `${Math.floor(Math.min(Math.max(bytes, min), max) / MB)}MB`;
}
