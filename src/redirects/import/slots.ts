import type { Db } from '../../db/client.ts';

/** Imports of one process that run at a time; further ones wait in order. */
const SLOTS = 5;

/** An import reads its stage on one connection, merges on a second, and reports errors and progress on a third. */
export const IMPORT_POOL_SIZE = SLOTS * 3;

/** Lets an import run as soon as a slot is free, with the pool in which its connections are kept for it. */
export interface ImportSlots {
  run<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

/**
 * Slots over a pool of IMPORT_POOL_SIZE connections that nothing else takes from. Without them, imports that each hold one
 * connection would wait for each other's second one for ever, and single writes that wait for a website would hold the
 * connections that the import of that website needs to end.
 */
export function createImportSlots(pool: Db): ImportSlots {
  let free = SLOTS;
  const waiting: (() => void)[] = [];

  async function enter(): Promise<void> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** The slot goes to whoever waits longest, without becoming free in between. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }

  return {
    async run(work) {
      await enter();
      try {
        return await work(pool);
      } finally {
        leave();
      }
    },
  };
}
