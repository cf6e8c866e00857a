/** Adds URLs, and updates their titles and counts, without a list. */
import type { Queryable } from '../db/connection/client.ts';
import type { ImportDeps } from '../redirects/import/engine/import-request.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { requireEditableRow, requireRoleAt } from '../websites/website.ts';
import { countWritten, lockUrls } from './lock.ts';
import { countMerge, uniteDuplicates, useListMemory, writeUrls } from './merge-list.ts';
import { withStage } from './push-list.ts';
import { type BodyCounts, stageBody } from './read-body.ts';
import type { Stage } from './stage.ts';
import { readUrlRules } from './url-rules.ts';

export interface AddInput {
  websiteId: number;
  fromHosts: string[];
  /** of the body on disk */
  path: string;
  maxBytes: number;
}

export interface AddResult extends BodyCounts {
  added: number;
  updated: number;
  unchanged: number;
  merged: number;
  mergedExamples: string[];
  mergedParameters: string[];
}

/** New URLs are `known`. Throws, and changes nothing, as pushList. */
export async function addUrls(deps: ImportDeps, actor: Actor, input: AddInput): Promise<AddResult> {
  const rules = await readUrlRules(deps.db, actor, input);
  await requireRoleAt(deps.db, actor, input.websiteId, 'editor');
  return withStage(deps, actor, async (stage) => {
    const counts = await stageBody(input.path, rules, stage, input.maxBytes);
    await stage.close();
    const write = (tx: Queryable) => add(tx, actor, input.websiteId, stage);
    return { ...counts, ...(await deps.permits.withPermit(() => deps.permits.db.transaction(write))) };
  });
}

async function add(tx: Queryable, actor: Actor, websiteId: number, stage: Stage) {
  await useListMemory(tx);
  await lockUrls(tx, websiteId);
  await requireEditableRow(tx, actor, websiteId);
  await stage.assertIntact(tx);
  const duplicates = await uniteDuplicates(tx, stage);
  const target = { websiteId, source: 'file' } as const;
  const { toWrite } = await countMerge(tx, target, stage);
  await writeUrls(tx, target, stage, toWrite);
  await countWritten(tx, actor, websiteId, toWrite);
  const { created, updated } = toWrite;
  return { ...duplicates, added: created, updated, unchanged: stage.count - duplicates.merged - created - updated };
}
