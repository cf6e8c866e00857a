/** Imports a bulk body: its fields in any order, its entries as they arrive. */
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError, missing, wrongParameter } from '../../vocabulary/error.ts';
import { requireWebsite, websiteNotFound } from '../../websites/website.ts';
import { type ByteSource, createByteSource } from '../read-json/byte-source.ts';
import { callDefaults, checkEntry, type EntryContext } from '../read-json/check-entry.ts';
import { readJsonBody } from '../read-json/json-body.ts';
import { type Line, readNdjsonBody } from '../read-json/ndjson-body.ts';
import { type ImportEntry, isRowError, type RowError } from '../rule/entry.ts';
import { assertRowLimit } from './limits.ts';
import {
  type ImportBatch,
  type ImportDeps,
  type ImportResult,
  type ImportTarget,
  runImport,
} from './run-import.ts';

const FIELDS = ['website_id', 'redirects', 'group_id', 'target_environments', 'dry_run'] as const;
type Field = (typeof FIELDS)[number];

/** Imports a JSON body and lists its invalid entries. If it throws (400, 403, 404, 413, 422), nothing was applied. */
export function importJson(
  deps: ImportDeps,
  actor: Actor,
  body: AsyncIterable<Buffer>,
): Promise<ImportResult> {
  const call = createCall(deps, actor);
  const batches = jsonBatches(call, actor, createByteSource(body));
  return runImport(deps, actor, { source: 'api', mode: 'update', batches, settle: () => call.settle() });
}

/** Imports a body of one entry a line; `parameters` are the other fields, from the query string. */
export async function importNdjson(
  deps: ImportDeps,
  actor: Actor,
  parameters: Partial<Record<Field, unknown>>,
  body: AsyncIterable<Buffer>,
): Promise<ImportResult> {
  const call = createCall(deps, actor);
  for (const [field, value] of Object.entries(parameters))
    if (value !== undefined) await call.take(field, value);
  call.takeEntries();
  const batches = ndjsonBatches(call, actor, createByteSource(body));
  return runImport(deps, actor, { source: 'api', mode: 'update', batches, settle: () => call.settle() });
}

/** The fields of a call besides its entries. */
interface Call {
  context: EntryContext;
  take(field: string, value: unknown): Promise<void>;
  /** The entries begin: defaults that come later must be applied to the staged ones. */
  takeEntries(): void;
  settle(): Promise<ImportTarget>;
}

function createCall(deps: ImportDeps, actor: Actor): Call {
  const fields: Partial<Record<string, unknown>> = {};
  const readDefaults = () => callDefaults(fields['group_id'], fields['target_environments']);
  let hasLateDefaults = false;
  let hasEntries = false;
  const call: Call = {
    context: { allowedTargetHosts: 'any', defaults: { groupId: undefined, environments: undefined } },
    async take(field, value) {
      if (field === 'redirects') throw wrongParameter('redirects', 'must be an array of redirects');
      fields[field] = value;
      if (field === 'website_id') {
        const website = await requireWebsite(deps.db, actor, websiteIdOf(value));
        if (!hasEntries) call.context.allowedTargetHosts = website.allowedTargetHosts;
      } else if (field === 'dry_run') {
        if (typeof value !== 'boolean') throw wrongParameter('dry_run', 'must be true or false');
      } else {
        const defaults = readDefaults();
        if (hasEntries) hasLateDefaults = true;
        else call.context.defaults = defaults;
      }
    },
    takeEntries() {
      hasEntries = true;
    },
    async settle() {
      if (fields['website_id'] === undefined) throw missing('website_id');
      if (!hasEntries) throw missing('redirects');
      const website = await requireWebsite(deps.db, actor, websiteIdOf(fields['website_id']));
      const target = { websiteId: website.id, dryRun: fields['dry_run'] === true };
      return hasLateDefaults ? { ...target, defaults: readDefaults() } : target;
    },
  };
  return call;
}

function websiteIdOf(value: unknown): number {
  if (typeof value !== 'string') throw wrongParameter('website_id', 'must be a string, such as "1"');
  if (!/^[1-9]\d{0,9}$/.test(value) || Number(value) > 2_147_483_647) throw websiteNotFound(value);
  return Number(value);
}

function assertKnownField(field: string): void {
  if (FIELDS.some((known) => known === field)) return;
  const path = field.slice(0, 100);
  throw new DomainError('UNKNOWN_FIELD', 'A body field is not known', {
    details: `${path}: is not a known field; the body takes ${FIELDS.join(', ')}`,
    issues: [{ path, code: 'UNKNOWN_FIELD', message: 'is not a known field; remove it' }],
  });
}

async function* jsonBatches(call: Call, actor: Actor, source: ByteSource): AsyncGenerator<ImportBatch> {
  let index = 0;
  for await (const part of readJsonBody(source, assertKnownField)) {
    if ('field' in part) {
      await call.take(part.field, part.value);
      continue;
    }
    call.takeEntries();
    assertRowLimit(actor, index + part.entries.length);
    const batch: ImportBatch = { entries: [], errors: [], bytes: source.received };
    for (const value of part.entries) add(batch, checkEntry(value, index++, call.context));
    yield batch;
  }
}

async function* ndjsonBatches(call: Call, actor: Actor, source: ByteSource): AsyncGenerator<ImportBatch> {
  let index = 0;
  for await (const lines of readNdjsonBody(source)) {
    assertRowLimit(actor, index + lines.length);
    const batch: ImportBatch = { entries: [], errors: [], bytes: source.received };
    for (const line of lines) add(batch, checkLine(line, index++, call.context));
    yield batch;
  }
}

function checkLine(line: Line, index: number, context: EntryContext): ImportEntry | RowError {
  if ('value' in line) return checkEntry(line.value, index, context);
  return { line: index, column: 'redirects', code: 'INVALID_JSON', message: line.problem, oldPath: null };
}

function add(batch: ImportBatch, checked: ImportEntry | RowError): void {
  if (isRowError(checked)) batch.errors.push(checked);
  else batch.entries.push(checked);
}
