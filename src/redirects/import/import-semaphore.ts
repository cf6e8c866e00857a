import type { Db } from '../../db/client.ts';
import { createSemaphore } from '../../platform/semaphore.ts';

const MAX_CONCURRENT_IMPORTS = 5;

/** An import stages on one connection, merges on a second, and reports errors and progress on a third. */
export const IMPORT_POOL_SIZE = MAX_CONCURRENT_IMPORTS * 3;

/** Runs an import when a permit is free, with the pool that is reserved for imports. */
export type WithImportPermit = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/**
 * Bounds concurrent imports to what a dedicated pool of IMPORT_POOL_SIZE connections can serve. Without the bound,
 * imports that each hold one connection would wait forever for each other's second one. Without the dedicated pool,
 * single writes that wait for a website would hold the connections that the import of that website needs to finish.
 */
export function createImportSemaphore(pool: Db): WithImportPermit {
  const withPermit = createSemaphore(MAX_CONCURRENT_IMPORTS);
  return (work) => withPermit(() => work(pool));
}
