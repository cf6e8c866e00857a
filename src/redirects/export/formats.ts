import { csvWriter } from './csv.ts';
import { jsonWriter, ndjsonWriter } from './json.ts';
import type { LosslessWriter } from './writer.ts';

/** Formats that keep every field of every redirect. */
export const LOSSLESS_FORMATS = {
  json: jsonWriter,
  csv: csvWriter,
  ndjson: ndjsonWriter,
} as const satisfies Record<string, LosslessWriter>;

export type LosslessFormatName = keyof typeof LOSSLESS_FORMATS;

/** All formats, in the order in which they are told to people; the first is the default. */
export const EXPORT_FORMATS = [
  'json',
  'csv',
  'ndjson',
  'nginx',
  'apache',
  'netlify',
  'vercel',
  'cloudflare',
  'caddy',
] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];
