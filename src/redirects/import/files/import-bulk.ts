/** Imports a bulk body: its fields in any order, its entries as they arrive. */
import { requireRole } from '../../../accounts/permissions.ts';
import type { Actor } from '../../../vocabulary/actor.ts';
import { missing, wrongParameter } from '../../../vocabulary/error.ts';
import type { Plan } from '../../../vocabulary/plan.ts';
import {
  readHosts,
  requireEditableRow,
  requireWebsiteRow,
  targetHostsOf,
  websiteNotFound,
} from '../../../websites/website.ts';
import { createByteSource } from '../../../formats/read/json/byte-source.ts';
import { callDefaults, checkEntry, type EntryContext } from '../../../formats/read/json/check-entry.ts';
import { readJsonBody, unknownField } from '../../../formats/read/json/json-body.ts';
import { type Line, readNdjsonBody } from '../../../formats/read/json/ndjson-body.ts';
import type { ImportEntry, RowError } from '../../../rules/entry.ts';
import { createRowCount } from '../../../vocabulary/call-limits.ts';
import { updateImport } from '../engine/import-record.ts';
import type { ImportBatch, ImportDeps, ImportResult } from '../engine/import-request.ts';
import { runImport } from '../engine/run-import.ts';

/** The fields of a call besides its entries, unchecked. */
export type BulkParameters = Partial<Record<Field, unknown>>;

const FIELDS = ['website_id', 'redirects', 'group_id', 'target_environments', 'dry_run', 'strict'] as const;
type Field = (typeof FIELDS)[number];

/**
 * Imports a JSON body and lists its invalid entries. If it throws (400, 403, 404, 413, 422), nothing was applied. A dry
 * run needs only the role viewer or a read key.
 */
export function importJson(deps: ImportDeps, actor: Actor, importId: string, body: AsyncIterable<Buffer>) {
  const call = createCall(deps, actor, (websiteId) => updateImport(deps.db, importId, { websiteId }));
  const batches = jsonBatches(call, body, (field) => {
    if (!FIELDS.some((known) => known === field)) throw unknownField(field, FIELDS.join(', '));
  });
  return runImport(deps, actor, { importId, source: 'api', mode: 'update', batches, settle: call.settle });
}

/** Imports a body of one entry a line; `parameters` are the other fields, from the query string. */
export async function importNdjson(
  deps: ImportDeps,
  actor: Actor,
  importId: string,
  parameters: BulkParameters,
  body: AsyncIterable<Buffer>,
): Promise<ImportResult> {
  let websiteId: number | undefined;
  const call = createCall(deps, actor, async (id) => void (websiteId = id));
  if (parameters.dry_run !== true) requireRole(actor, 'editor');
  for (const [field, value] of Object.entries(parameters)) if (value !== undefined) await call.take(field, value);
  call.takeEntries();
  // Before the body is read.
  if (parameters.dry_run !== true && websiteId !== undefined) await requireEditableRow(deps.db, actor, websiteId);
  const batches = ndjsonBatches(call.context, body, actor.plan);
  return runImport(deps, actor, { importId, websiteId, source: 'api', mode: 'update', batches, settle: call.settle });
}

/** Takes the fields of a call besides its entries. `onWebsite` receives the website when it is known. */
function createCall({ db }: ImportDeps, actor: Actor, onWebsite: (websiteId: number) => Promise<unknown>) {
  const fields: Partial<Record<string, unknown>> = {};
  const readDefaults = () => callDefaults(fields['group_id'], fields['target_environments']);
  let hasLateDefaults = false;
  let hasEntries = false;
  const context: EntryContext = {
    allowedTargetHosts: 'any',
    servesRules: () => false,
    defaults: { groupId: undefined, environments: undefined },
  };
  return {
    context,
    async take(field: string, value: unknown) {
      if (field === 'redirects') throw wrongParameter('redirects', 'must be an array of redirects');
      fields[field] = value;
      if (field === 'website_id') {
        const website = await requireWebsiteRow(db, actor, websiteIdOf(value));
        if (!hasEntries) Object.assign(context, targetHostsOf({ ...website, hosts: await readHosts(db, website) }));
        await onWebsite(website.id);
      } else if (field === 'dry_run' || field === 'strict') {
        if (typeof value !== 'boolean') throw wrongParameter(field, 'must be true or false');
      } else {
        const defaults = readDefaults();
        if (hasEntries) hasLateDefaults = true;
        else context.defaults = defaults;
      }
    },
    /** The entries begin: defaults that come later must be applied to the staged ones. */
    takeEntries() {
      hasEntries = true;
    },
    async settle() {
      // The fields come in any order, so only now is it certain that this is no dry run.
      const dryRun = fields['dry_run'] === true;
      if (!dryRun) requireRole(actor, 'editor');
      if (fields['website_id'] === undefined) throw missing('website_id');
      if (!hasEntries) throw missing('redirects');
      const requireRow = dryRun ? requireWebsiteRow : requireEditableRow;
      const { id } = await requireRow(db, actor, websiteIdOf(fields['website_id']));
      const target = { websiteId: id, dryRun, isStrict: fields['strict'] === true };
      return hasLateDefaults ? { ...target, defaults: readDefaults() } : target;
    },
  };
}

function websiteIdOf(value: unknown): number {
  if (typeof value !== 'string') throw wrongParameter('website_id', 'must be a string, such as "1"');
  if (!/^[1-9]\d{0,9}$/.test(value) || Number(value) > 2_147_483_647) throw websiteNotFound(value);
  return Number(value);
}

/** Takes the fields of a body besides its entries. */
export type FieldReader = Pick<ReturnType<typeof createCall>, 'context' | 'take' | 'takeEntries'>;

/** Reads the entries of a JSON body. `call` receives the other fields, as they come. */
export async function* jsonBatches(
  call: FieldReader,
  body: AsyncIterable<Buffer>,
  assertKnown: (field: string) => void,
): AsyncGenerator<ImportBatch> {
  const source = createByteSource(body);
  let index = 0;
  for await (const part of readJsonBody(source, assertKnown)) {
    if ('field' in part) {
      await call.take(part.field, part.value);
      continue;
    }
    call.takeEntries();
    const rows = part.entries.map((value) => checkEntry(value, index++, call.context));
    yield { rows, bytes: source.received };
  }
}

/** Reads a body of one entry a line. Throws if it has more lines, blank ones included, than the plan has rows. */
export async function* ndjsonBatches(context: EntryContext, body: AsyncIterable<Buffer>, plan: Plan) {
  const source = createByteSource(body);
  const countRows = createRowCount(plan);
  let index = 0;
  for await (const { lines, blank } of readNdjsonBody(source)) {
    countRows(lines.length, blank);
    yield { rows: lines.map((line) => checkLine(line, index++, context)), bytes: source.received };
  }
}

function checkLine(line: Line, index: number, context: EntryContext): ImportEntry | RowError {
  if ('value' in line) return checkEntry(line.value, index, context);
  return { line: index, column: 'redirects', code: 'INVALID_JSON', message: line.problem, oldPath: null };
}
