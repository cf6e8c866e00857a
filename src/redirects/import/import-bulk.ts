/** POST of a bulk body: its fields in any order, its entries through the import engine as they come in. */
import type { Actor } from '../../vocabulary/actor.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { requireWebsite, websiteNotFound } from '../../websites/website.ts';
import type { ImportEntry, ImportError } from './entry.ts';
import { assertRowLimit } from './limits.ts';
import { type ImportDeps, type ImportResult, type ImportTarget, runImport } from './run-import.ts';
import { type ByteSource, createByteSource } from '../read-json/byte-source.ts';
import {
  callDefaults,
  checkEntry,
  type EntryContext,
  isRefused,
  wrongType,
} from '../read-json/check-entry.ts';
import { readJsonBody } from '../read-json/json-body.ts';
import { type Line, readNdjsonBody } from '../read-json/ndjson-body.ts';

const FIELDS = ['website_id', 'redirects', 'group_id', 'target_environments', 'dry_run'] as const;
type Field = (typeof FIELDS)[number];

/** Imports a JSON body. Refusals (400, 403, 404, 413, 422) apply nothing; entries that are wrong by themselves are listed. */
export function importJson(
  deps: ImportDeps,
  actor: Actor,
  body: AsyncIterable<Buffer>,
): Promise<ImportResult> {
  const call = createCall(deps, actor);
  const batches = jsonBatches(call, actor, createByteSource(body));
  return runImport(deps, actor, { source: 'api', mode: 'update', batches, settle: () => call.settle() });
}

/** The same for one entry a line, where the other fields are parameters of the address and so known from the start. */
export async function importNdjson(
  deps: ImportDeps,
  actor: Actor,
  parameters: Partial<Record<Field, unknown>>,
  body: AsyncIterable<Buffer>,
): Promise<ImportResult> {
  const call = createCall(deps, actor);
  for (const [field, value] of Object.entries(parameters))
    if (value !== undefined) await call.take(field, value);
  await call.takeEntries();
  const batches = ndjsonBatches(call, actor, createByteSource(body));
  return runImport(deps, actor, { source: 'api', mode: 'update', batches, settle: () => call.settle() });
}

/** What a call has said so far. */
interface Call {
  context: EntryContext;
  take(field: string, value: unknown): Promise<void>;
  /** From here on entries come; what is said later has to be brought to them. */
  takeEntries(): Promise<void>;
  settle(): Promise<ImportTarget>;
}

function createCall(deps: ImportDeps, actor: Actor): Call {
  const said: Partial<Record<string, unknown>> = {};
  let late = false;
  let hasEntries = false;
  const call: Call = {
    context: { allowedTargetHosts: undefined, defaults: { groupId: undefined, environments: undefined } },
    async take(field, value) {
      if (field === 'redirects') throw wrongType('redirects', 'must be an array of redirects');
      said[field] = value;
      if (field === 'website_id') {
        const website = await requireWebsite(deps.db, actor, websiteIdOf(value));
        if (!hasEntries) call.context.allowedTargetHosts = website.allowedTargetHosts;
      } else if (field === 'dry_run') {
        if (typeof value !== 'boolean') throw wrongType('dry_run', 'must be true or false');
      } else {
        const defaults = callDefaults(said['group_id'], said['target_environments']);
        if (hasEntries) late = true;
        else call.context.defaults = defaults;
      }
    },
    async takeEntries() {
      hasEntries = true;
    },
    async settle() {
      if (said['website_id'] === undefined) throw missing('website_id');
      if (!hasEntries) throw missing('redirects');
      const website = await requireWebsite(deps.db, actor, websiteIdOf(said['website_id']));
      const target = { websiteId: website.id, dryRun: said['dry_run'] === true };
      if (!late) return target;
      return { ...target, defaults: callDefaults(said['group_id'], said['target_environments']) };
    },
  };
  return call;
}

function websiteIdOf(value: unknown): number {
  if (typeof value !== 'string') throw wrongType('website_id', 'must be a string, such as "1"');
  if (!/^[1-9]\d{0,9}$/.test(value) || Number(value) > 2_147_483_647) throw websiteNotFound(value);
  return Number(value);
}

function missing(field: string): DomainError {
  return new DomainError('MISSING_PARAMETER', `${field}: is required`, {
    details: `${field}: is required`,
    issues: [{ path: field, code: 'MISSING_PARAMETER', message: 'is required' }],
  });
}

function refuseUnknown(field: string): void {
  if (FIELDS.some((known) => known === field)) return;
  throw new DomainError('UNKNOWN_FIELD', 'A body field is not known', {
    details: `${field.slice(0, 100)}: is not a known field; the body takes ${FIELDS.join(', ')}`,
    issues: [
      { path: field.slice(0, 100), code: 'UNKNOWN_FIELD', message: 'is not a known field; remove it' },
    ],
  });
}

interface Batch {
  entries: ImportEntry[];
  errors: ImportError[];
  bytes: number;
}

async function* jsonBatches(call: Call, actor: Actor, source: ByteSource): AsyncGenerator<Batch> {
  let index = 0;
  for await (const part of readJsonBody(source, refuseUnknown)) {
    if ('field' in part) {
      await call.take(part.field, part.value);
      continue;
    }
    await call.takeEntries();
    assertRowLimit(actor, index + part.entries.length);
    const batch: Batch = { entries: [], errors: [], bytes: source.received };
    for (const value of part.entries) sort(batch, checkEntry(value, index++, call.context));
    yield batch;
  }
}

async function* ndjsonBatches(call: Call, actor: Actor, source: ByteSource): AsyncGenerator<Batch> {
  let index = 0;
  for await (const lines of readNdjsonBody(source)) {
    assertRowLimit(actor, index + lines.length);
    const batch: Batch = { entries: [], errors: [], bytes: source.received };
    for (const line of lines) sort(batch, checkLine(line, index++, call.context));
    yield batch;
  }
}

function checkLine(line: Line, index: number, context: EntryContext): ImportEntry | ImportError {
  if ('value' in line) return checkEntry(line.value, index, context);
  return { line: index, column: 'redirects', code: 'INVALID_JSON', message: line.problem, oldPath: null };
}

function sort(batch: Batch, checked: ImportEntry | ImportError): void {
  if (isRefused(checked)) batch.errors.push(checked);
  else batch.entries.push(checked);
}
