/** Adds rows to a batch, after the checks that all formats share. */
import type { ErrorCode } from '../../../vocabulary/error.ts';
import type { UrlBatch, UrlRow } from './url-row.ts';

const MAX_ADDRESS_BYTES = 2_048;
const MAX_TEXT_CHARACTERS = 500;
const MAX_SHOWN_CHARACTERS = 200;

/** Control characters and lone surrogates. */
const UNREADABLE = /[\p{Cc}\p{Cs}]/u;
const SPACES = /[\s\p{Cc}]+/gu;

export const newBatch = (): UrlBatch => ({ rows: [], invalid: [] });

/** Adds the row, or an invalid one if its address is absent, too long or has a control character. */
export function addRow(batch: UrlBatch, row: UrlRow): void {
  const problem = addressProblem(row.url);
  if (problem === undefined) batch.rows.push(row);
  else addInvalid(batch, row.line, row.url, problem);
}

function addressProblem(url: string): ErrorCode | undefined {
  if (url === '') return 'MISSING_PARAMETER';
  if (url.length * 3 > MAX_ADDRESS_BYTES && Buffer.byteLength(url) > MAX_ADDRESS_BYTES) return 'TOO_LONG';
  return UNREADABLE.test(url) ? 'CONTROL_CHARACTER' : undefined;
}

/** Adds an invalid row. Characters that PostgreSQL cannot store are replaced in its value. */
export function addInvalid(batch: UrlBatch, line: number, value: string, code: ErrorCode): void {
  const shown = value.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd');
  batch.invalid.push({ line, value: shown, code });
}

type TextField = 'title' | 'description' | 'headline';

/** Sets a text of the row on one line, truncated to 500 characters. An empty one is left out. */
export function setText(row: UrlRow, field: TextField, text: string): void {
  const line = text
    .slice(0, MAX_TEXT_CHARACTERS * 4)
    .replace(SPACES, ' ')
    .trim();
  if (line === '') return;
  const isHalved = /[\ud800-\udbff]/.test(line.charAt(MAX_TEXT_CHARACTERS - 1));
  row[field] = line
    .slice(0, MAX_TEXT_CHARACTERS - Number(isHalved && line.length > MAX_TEXT_CHARACTERS))
    .toWellFormed();
}
