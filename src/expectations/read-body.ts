import { createByteSource } from '../formats/read/json/byte-source.ts';
import { readJsonBody, unknownField } from '../formats/read/json/json-body.ts';
import { type Line, readNdjsonBody } from '../formats/read/json/ndjson-body.ts';
import type { HostTable } from '../resolver/host-table.ts';
import { DomainError, type ErrorCode, type Issue, missing, wrongParameter } from '../vocabulary/error.ts';
import type { WebsiteHost } from '../websites/website.ts';
import { issue } from '../formats/rows/cells.ts';
import { type CheckedExpectation, checkExpectation, isIssue } from './check-expectation.ts';
import { type CsvRow, readCsvBody } from './read-csv.ts';

export type BodyFormat = 'json' | 'ndjson' | 'csv';

/** Invalid entries that an error lists. */
const MAX_ERRORS = 1_000;

/** Characters of a URL in an error. */
export const MAX_SHOWN = 200;

/** Why an entry is invalid, as the error's body lists it. */
export interface InvalidEntry {
  /** position in the body, from 0 */
  index: number;
  /** of a CSV: where the row begins */
  line?: number;
  url: string | null;
  /** the field that is wrong; `row` if the entry cannot be read */
  field: string;
  code: ErrorCode;
  message: string;
}

/** The entries of a body that have arrived since the last batch. */
export interface Batch {
  valid: (CheckedExpectation & { index: number })[];
  /** entries and blank lines, invalid ones included */
  count: number;
}

type Row = Line | CsvRow;

/**
 * Reads a body of expectations as it arrives, and yields the valid entries in batches. Reads to the end even if entries
 * are invalid, and then throws VALIDATION_ERROR with the first 1,000. Throws at once if the body cannot be read at all.
 */
export async function* readExpectations(
  body: AsyncIterable<Buffer>,
  format: BodyFormat,
  hosts: HostTable<WebsiteHost>,
): AsyncGenerator<Batch> {
  const errors: InvalidEntry[] = [];
  let [index, invalidCount] = [0, 0];
  for await (const { rows, blank } of rowsOf(body, format)) {
    const batch: Batch = { valid: [], count: rows.length + blank };
    for (const row of rows) {
      const checked = 'value' in row ? checkExpectation(row.value, hosts) : issue('row', 'MALFORMED_ROW', row.problem);
      if (!isIssue(checked)) batch.valid.push({ ...checked, index });
      else if (++invalidCount <= MAX_ERRORS) errors.push(invalidEntry(checked, index, row));
      index++;
    }
    yield batch;
  }
  if (invalidCount > 0) throw invalidEntries(errors, invalidCount, index);
}

async function* rowsOf(
  body: AsyncIterable<Buffer>,
  format: BodyFormat,
): AsyncGenerator<{ rows: Row[]; blank: number }> {
  if (format === 'csv') return yield* readCsvBody(body);
  const source = createByteSource(body);
  if (format === 'ndjson') {
    for await (const { lines, blank } of readNdjsonBody(source)) yield { rows: lines, blank };
    return;
  }
  let hasEntries = false;
  const assertKnown = (field: string): void => {
    if (field !== 'expectations') throw unknownField(field, 'expectations');
  };
  for await (const part of readJsonBody(source, assertKnown, 'expectations')) {
    if ('field' in part) throw wrongParameter('expectations', 'must be an array of expectations');
    hasEntries = true;
    yield { rows: part.entries.map((value) => ({ value })), blank: 0 };
  }
  if (!hasEntries) throw missing('expectations');
}

function invalidEntry({ path, code, message }: Issue, index: number, row: Row): InvalidEntry {
  return {
    index,
    ...('line' in row && { line: row.line }),
    url: 'value' in row ? urlOf(row.value) : null,
    field: path,
    code,
    message: `${path} ${message}`,
  };
}

function urlOf(value: unknown): string | null {
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : null;
  return typeof url === 'string' ? url.slice(0, MAX_SHOWN) : null;
}

/** The 422 for invalid entries. */
export function invalidEntries(errors: InvalidEntry[], count: number, total: number): DomainError {
  const [first] = errors;
  const counts = `${count.toLocaleString('en')} of ${total.toLocaleString('en')} entries are invalid`;
  return new DomainError('VALIDATION_ERROR', 'Entries are invalid', {
    details: `expectations: ${counts}, so nothing was applied; entry ${first?.index}: ${first?.message}`,
    extra: { errors },
  });
}
