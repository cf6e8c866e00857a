import type { Db } from '../../db/client.ts';
import { readDatabaseId } from '../../db/settings.ts';
import type { LiveRegistry } from './live-registry.ts';
import type { LoadedSnapshots } from './read-snapshots.ts';

/**
 * Returns a function that compares the files with the database, once: removes the websites of another database from
 * memory. Their versions are compared as those of any process.
 */
export function createSnapshotCheck(
  db: Db,
  registry: LiveRegistry,
  { databaseId }: LoadedSnapshots,
): () => Promise<void> {
  let checked: Promise<void> | undefined;

  async function check(): Promise<void> {
    if (databaseId === undefined || (await readDatabaseId(db)) === databaseId) return;
    for (const id of registry.websiteIds()) registry.remove(id);
  }

  return () =>
    (checked ??= check().catch((error: unknown) => {
      checked = undefined;
      throw error;
    }));
}
