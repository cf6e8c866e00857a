import { missing, wrongParameter } from '../../../vocabulary/error.ts';
import { createByteSource } from '../json/byte-source.ts';
import { readJsonFile, unknownField } from '../json/json-body.ts';
import { isLiving, type PageFacts } from './living.ts';
import { addInvalid, addRow, newBatch, setText } from './make-row.ts';
import { readLines } from './text-list.ts';
import type { UrlBatch, UrlRow } from './url-row.ts';

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

interface Entry extends Partial<Pick<UrlRow, 'title' | 'description' | 'headline' | 'clicks' | 'links'>>, PageFacts {
  url?: string;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

const FIELDS = new Map<string, Check>([
  ['url', isText],
  ['title', isText],
  ['description', isText],
  ['headline', isText],
  ['clicks', isCount],
  ['links', isCount],
  ['status', isCount],
  ['noindex', (value) => typeof value === 'boolean'],
  ['canonical', isText],
]);

function addEntry(batch: UrlBatch, line: number, entry: unknown): void {
  if (typeof entry === 'string') return addRow(batch, { line, url: entry.trim(), living: true });
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    return addInvalid(batch, line, JSON.stringify(entry), 'INVALID_PARAMETER');
  const fields: Entry = {};
  for (const [name, value] of Object.entries(entry)) {
    const isValid = FIELDS.get(name);
    // Exports write null for a field without a value.
    if (isValid && value === null) continue;
    if (isValid?.(value) !== true)
      return addInvalid(
        batch,
        line,
        `${name}: ${JSON.stringify(value)}`,
        isValid ? 'INVALID_PARAMETER' : 'UNKNOWN_FIELD',
      );
    Object.assign(fields, { [name]: value });
  }
  addRow(batch, rowOf(line, fields));
}

function rowOf(
  line: number,
  { url: address = '', title, description, headline, clicks, links, ...facts }: Entry,
): UrlRow {
  const url = address.trim();
  const row: UrlRow = { line, url, living: isLiving(url, facts) };
  if (title !== undefined) setText(row, 'title', title);
  if (description !== undefined) setText(row, 'description', description);
  if (headline !== undefined) setText(row, 'headline', headline);
  if (clicks !== undefined) row.clicks = clicks;
  if (links !== undefined) row.links = links;
  return row;
}
