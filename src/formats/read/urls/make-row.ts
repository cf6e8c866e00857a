/** Adds rows to a batch, after the checks that all formats share. */
import type { ErrorCode } from '../../../vocabulary/error.ts';
import type { UrlState } from '../../../vocabulary/urls.ts';
import type { UrlBatch, UrlRow } from './url-row.ts';

const MAX_ADDRESS_BYTES = 2_048;
const MAX_TEXT_CHARACTERS = 500;
const MAX_SHOWN_CHARACTERS = 200;

/** Nearly no address. Without the flag `u`, this takes half the time of UNREADABLE. */
const UNUSUAL = /[^\x20-\x7e]/;
/** Control characters and lone surrogates. */
const UNREADABLE = /[\p{Cc}\p{Cs}]/u;
/** In exports of this service. */
const NOT_LIVING: string[] = ['removed', 'known'] satisfies UrlState[];
const SPACES = /[\s\p{Cc}]+/gu;

/** Values of a row as its file has them. */
export interface RowValues extends Partial<Record<'title' | 'description' | 'headline' | 'canonical', string>> {
  clicks?: number | undefined;
  links?: number | undefined;
  weight?: number | undefined;
  /** 0 if the tool received no response */
  status?: number | undefined;
  noindex?: boolean;
  isBacklink?: boolean;
  /** of an export of this service */
  state?: string;
}

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
  return UNUSUAL.test(url) && UNREADABLE.test(url) ? 'CONTROL_CHARACTER' : undefined;
}

/** Adds an invalid row. Characters that PostgreSQL cannot store are replaced in its value. */
export function addInvalid(batch: UrlBatch, line: number, value: string, code: ErrorCode): void {
  const shown = value.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed().replaceAll('\0', '\ufffd');
  batch.invalid.push({ line, value: shown, code });
}

/** Returns a row of these values. Texts are on one line of at most 500 characters, and absent if they are empty. */
export function makeRow(line: number, url: string, values: RowValues): UrlRow {
  const row: UrlRow = { line, url, living: isLiving(url, values) };
  for (const field of ['title', 'description', 'headline'] as const) {
    const text = shorten(values[field] ?? '');
    if (text !== '') row[field] = text;
  }
  if (values.clicks !== undefined) row.clicks = values.clicks;
  if (values.links !== undefined) row.links = values.links;
  if (values.weight !== undefined) row.weight = values.weight;
  if (values.isBacklink === true) row.isBacklink = true;
  return row;
}

function shorten(text: string): string {
  const line = text.replace(SPACES, ' ').trim();
  if (line.length <= MAX_TEXT_CHARACTERS) return line.toWellFormed();
  const isHalved = /[\ud800-\udbff]/.test(line.charAt(MAX_TEXT_CHARACTERS - 1));
  return line.slice(0, MAX_TEXT_CHARACTERS - Number(isHalved)).toWellFormed();
}

/**
 * False for a page with another status than 200, with `noindex`, or with the canonical of another page, and for a URL that
 * was not living when this service exported it.
 */
function isLiving(url: string, { status = 0, noindex = false, canonical = '', state = '' }: RowValues): boolean {
  if (noindex || (status !== 0 && status !== 200) || NOT_LIVING.includes(state)) return false;
  return canonical === '' || canonical === url || pageOf(canonical, url) === pageOf(url, url);
}

/** The address without scheme, `www.` and fragment: a redirect answers for all spellings of these. */
function pageOf(address: string, base: string): string {
  try {
    const { host, pathname, search } = new URL(address, new URL(base, 'http://path.invalid'));
    return `${host.replace(/^www\./, '')}${pathname}${search}`;
  } catch {
    return address;
  }
}
