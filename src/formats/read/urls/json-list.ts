import { missing, wrongParameter } from '../../../vocabulary/error.ts';
import { createByteSource } from '../json/byte-source.ts';
import { readJsonBody, readJsonFile, unknownField } from '../json/json-body.ts';
import { addInvalid, addRow, makeRow, newBatch, type RowValues } from './make-row.ts';
import { readLines } from './text-list.ts';
import type { UrlBatch } from './url-row.ts';

/**
 * Yields the entries of `{"urls": [...]}`, or of a list alone. Throws INVALID_JSON, BODY_TOO_LARGE for an entry above 64
 * KiB, and an error for another field than `urls`.
 */
export async function* readJsonList(chunks: AsyncGenerator<Buffer>): AsyncGenerator<UrlBatch> {
  let line = 0;
  let hasList = false;
  try {
    for await (const part of readJsonFile(createByteSource(chunks), assertKnown, 'urls', 0)) {
      if ('field' in part) throw wrongParameter('urls', 'must be a list of strings or objects');
      hasList = true;
      const batch = newBatch();
      for (const entry of part.entries) addEntry(batch, line++, entry);
      yield batch;
    }
  } finally {
    // The byte source does not close what it reads.
    await chunks.return(undefined);
  }
  if (!hasList) throw missing('urls', 'is required; send {"urls": [...]} or a list alone');
}

/** Yields the entries of the list `urls` of one of the objects of a body, such as `from.urls` of `from`. */
export async function* readNestedList(
  chunks: AsyncIterable<Buffer>,
  object: string,
  objects: readonly string[],
): AsyncGenerator<UrlBatch> {
  let line = 0;
  for await (const part of readJsonBody(createByteSource(chunks), () => {}, 'urls', 0, objects)) {
    if ('field' in part || part.object !== object) continue;
    yield parsedEntries(part.entries, line);
    line += part.entries.length;
  }
}

/** Reads entries of a parsed list. */
export function parsedEntries(entries: readonly unknown[], first = 0): UrlBatch {
  const batch = newBatch();
  for (const [index, entry] of entries.entries()) addEntry(batch, first + index, entry);
  return batch;
}

/** Yields the entries of NDJSON. A line that is not JSON is an invalid row. */
export function readNdjsonList(chunks: AsyncIterable<Buffer>): AsyncGenerator<UrlBatch> {
  return readLines(chunks, (batch, line, text) => {
    const entry = parse(text);
    if (entry === undefined) addInvalid(batch, line, text, 'INVALID_JSON');
    else addEntry(batch, line, entry);
  });
}

function assertKnown(field: string): void {
  if (field !== 'urls') throw unknownField(field, 'urls');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

const FIELDS = new Map<string, Check>([
  ...['url', 'title', 'description', 'headline', 'canonical', 'state'].map((name) => [name, isText] as const),
  ...['clicks', 'links', 'status', 'weight'].map((name) => [name, isCount] as const),
  ['noindex', (value) => typeof value === 'boolean'],
]);

/** Read-only fields of an export or of the API, which are ignored. */
const READ_ONLY = new Set(
  'id raw_url answered redirect_id lists sources first_seen_at last_seen_at removed_at hits bot_hits assistant_hits'.split(
    ' ',
  ),
);

function addEntry(batch: UrlBatch, line: number, entry: unknown): void {
  if (typeof entry === 'string') return addRow(batch, { line, url: entry.trim(), living: true });
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return addInvalid(batch, line, shown(entry), 'INVALID_PARAMETER');
  const fields = entry as Record<string, unknown>;
  for (const name in fields) {
    const isValid = FIELDS.get(name);
    // Exports write null for a field without a value.
    if (READ_ONLY.has(name) || (isValid && fields[name] === null)) delete fields[name];
    else if (isValid?.(fields[name]) !== true) {
      const code = isValid ? 'INVALID_PARAMETER' : 'UNKNOWN_FIELD';
      return addInvalid(batch, line, `${name}: ${shown(fields[name])}`, code);
    }
  }
  // The loop has checked every field.
  const { url = '', ...values } = fields as RowValues & { url?: string };
  addRow(batch, makeRow(line, url.trim(), values));
}

/** Nested values are not written out: they may be nested deeper than JSON.stringify can follow. */
function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return Array.isArray(value) ? '[…]' : '{…}';
}
