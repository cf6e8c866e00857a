import type { Db } from '../../db/connection/client.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { peekWebsite } from '../../websites/write-website.ts';
import { type BulkEffect, type BulkUpdates, noEffect, planBatch } from './bulk-plan.ts';
import { type Selection, selectBatches, selectWebsites } from './selection.ts';

/**
 * Returns what a bulk update would do, without doing it: how many redirects change, stay or would be invalid, and why.
 * Reads every selected redirect, and does not check the limit of patterns.
 */
export async function previewBulkUpdate(
  db: Db,
  actor: Actor,
  { selection, updates }: { selection: Selection; updates: BulkUpdates },
): Promise<BulkEffect> {
  return db.transaction(
    async (tx) => {
      const effect = noEffect();
      for (const websiteId of await selectWebsites(tx, actor, selection)) {
        const website = await peekWebsite(tx, actor, websiteId);
        for await (const rows of selectBatches(tx, actor, websiteId, selection)) {
          await planBatch(rows, { updates, website, effect });
        }
      }
      return effect;
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}
