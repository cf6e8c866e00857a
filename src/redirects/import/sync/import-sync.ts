/** Makes the redirects of a website, or of one of its groups, exactly those of a body. */
import type { Actor } from '../../../vocabulary/actor.ts';
import { invalid, missing, wrongParameter } from '../../../vocabulary/error.ts';
import type { Plan } from '../../../vocabulary/plan.ts';
import { requireRoleAt, requireWebsite, targetHostsOf, type Website } from '../../../websites/website.ts';
import { planCsv } from '../../../formats/read/csv/plan-csv.ts';
import type { WildcardMode } from '../../../formats/rows/wildcards.ts';
import { callDefaults } from '../../../formats/read/json/check-entry.ts';
import { unknownField } from '../../../formats/read/json/json-body.ts';
import { EXPORT_FIELDS } from '../../../formats/read/json/json-file.ts';
import { isRowError } from '../../../rules/entry.ts';
import { type FieldReader, jsonBatches, ndjsonBatches } from '../files/import-bulk.ts';
import { csvOptions } from '../files/import-file.ts';
import { assertNoCsvOptions, openCsv, openKnownFile, recognizeRuleFile } from '../files/rule-file.ts';
import type { ImportBatch, ImportDeps, ImportResult } from '../engine/import-request.ts';
import { runImport } from '../engine/run-import.ts';
import type { MaxDelete } from '../../../rules/max-delete.ts';
import { type FieldName, FIELDS, OPTIONAL_FIELDS } from '../../rule/fields.ts';
import type { CheckContext } from './check-sync.ts';
import { syncSteps } from './merge-sync.ts';
import { assertRevision } from './sync-guards.ts';

export interface SyncCall {
  websiteId: number;
  /** the group that the entries get; only its redirects are compared and deleted */
  groupId: string | undefined;
  dryRun: boolean;
  ifRevision: number | undefined;
  ifHistory: string | undefined;
  /** the fields that it decides; undefined: those that any entry or column names */
  fields: readonly FieldName[] | undefined;
  maxDelete: MaxDelete | undefined;
  /** a CSV file is on disk, because its columns decide how it is read */
  body: { format: 'json' | 'ndjson' } | { format: 'csv'; path: string; wildcards: WildcardMode | undefined };
}

/**
 * Applies the entries of the body and deletes all other redirects of the website or group, in one transaction. If it
 * throws (400, 403, 404, 409, 413, 422), nothing was applied. A dry run needs only the role viewer or a read key.
 */
export async function importSync(
  deps: ImportDeps,
  actor: Actor,
  importId: string,
  call: SyncCall,
  body: AsyncIterable<Buffer>,
  context: CheckContext,
): Promise<ImportResult> {
  const { websiteId, dryRun, ifRevision, ifHistory, maxDelete } = call;
  const groupId = checkGroup(call.groupId);
  const website = await requireWebsite(deps.db, actor, websiteId);
  if (!dryRun) await requireRoleAt(deps.db, actor, websiteId, 'editor');
  // Checked again under the lock. A client learns it here before it sends the body.
  assertRevision(call, { revision: website.headRev, history: website.history?.[0] ?? null });
  const { batches, named, assertRead } = await openBody(call, { actor, website }, body);
  const decided = new Set([...(call.fields ?? named), ...(groupId === undefined ? [] : (['groupId'] as const))]);
  const place = call.body.format === 'csv' ? 'line' : 'index';
  return runImport(deps, actor, {
    ...{ importId, websiteId, source: 'sync', mode: 'update' },
    batches: prepared(batches, { groupId, decided, isFixed: call.fields !== undefined }),
    settle: async () => {
      assertRead();
      return {
        websiteId,
        dryRun,
        assertFound: (found) => assertRevision({ ifRevision, ifHistory }, found),
        sync: syncSteps({ groupId, maxDelete, place, decided, context }),
      };
    },
  });
}

function checkGroup(groupId: string | undefined): string | undefined {
  const checked = callDefaults(groupId, undefined).groupId;
  if (checked !== null) return checked;
  throw wrongParameter('group_id', 'must not be empty; leave it out to sync the whole website');
}

/** The entries of the body, and the fields that its columns name. `assertRead` throws if it ended without a list. */
async function openBody(
  { body: sent }: SyncCall,
  { actor: { plan }, website }: { actor: Actor; website: Website },
  body: AsyncIterable<Buffer>,
): Promise<{ batches: AsyncIterable<ImportBatch>; named: FieldName[]; assertRead: () => void }> {
  const defaults = { groupId: undefined, environments: undefined };
  const context = { ...targetHostsOf(website), defaults };
  const isRead = { named: [], assertRead: () => {} };
  if (sent.format === 'ndjson') return { ...isRead, batches: ndjsonBatches(context, body, plan) };
  if (sent.format === 'csv') return { ...isRead, ...(await openBodyFile(sent, website, plan)) };
  let hasEntries = false;
  const reader: FieldReader = {
    context,
    async take(field) {
      if (field === 'redirects') throw wrongParameter('redirects', 'must be an array of redirects');
    },
    takeEntries: () => void (hasEntries = true),
  };
  return {
    named: [],
    batches: jsonBatches(reader, body, assertKnownField),
    assertRead() {
      if (!hasEntries) throw missing('redirects');
    },
  };
}

function assertKnownField(field: string): void {
  if (field === 'redirects' || EXPORT_FIELDS.includes(field)) return;
  throw unknownField(field, 'redirects, all other parameters are in the query string');
}

const JSON_TYPES = { json: 'application/json', ndjson: 'application/x-ndjson' };

async function openBodyFile(
  { path, wildcards }: { path: string; wildcards: WildcardMode | undefined },
  website: Website,
  plan: Plan,
): Promise<{ batches: AsyncIterable<ImportBatch>; named: FieldName[] }> {
  const options = { addSlash: false, ignoreUnknown: false, columns: {}, wildcards };
  const format = await recognizeRuleFile({ path, plan }, '');
  if (format === 'json' || format === 'ndjson')
    throw invalid('body', `the body is JSON, but its Content-Type is text/csv; send it as ${JSON_TYPES[format]}`);
  if (format) assertNoCsvOptions(format, options);
  const file = format
    ? await openKnownFile({ path, fileName: '', format, plan }, website, options)
    : openCsv(await planCsv(path, csvOptions({ ...options, plan }, website)));
  const roles = new Set(file.columns.map(({ field }) => field));
  const named = OPTIONAL_FIELDS.filter((name) => roles.has(FIELDS[name].wire));
  return { batches: file.batches(website), named };
}

/**
 * Gives entries the group of the call. Adds the fields that they name to `decided`, unless the call has `fields`. Each
 * entry decides the spelling of its path.
 */
async function* prepared(
  batches: AsyncIterable<ImportBatch>,
  { groupId, decided, isFixed }: { groupId: string | undefined; decided: Set<FieldName>; isFixed: boolean },
) {
  for await (const batch of batches) {
    for (const row of batch.rows) {
      if (isRowError(row)) continue;
      row.isExact = true;
      if (groupId !== undefined) row.groupId = groupId;
      if (isFixed) continue;
      for (const name of OPTIONAL_FIELDS) if (row[name] !== undefined) decided.add(name);
    }
    yield batch;
  }
}
