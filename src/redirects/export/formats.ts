import { csvWriter, jsonWriter, ndjsonWriter, type LosslessWriter } from './lossless.ts';
import { apacheFormat } from './server/apache.ts';
import { caddyFormat } from './server/caddy.ts';
import { cloudflareFormat } from './server/cloudflare.ts';
import { netlifyFormat } from './server/netlify.ts';
import { nginxFormat } from './server/nginx.ts';
import type { ServerFormat } from './server/server-format.ts';
import { vercelFormat } from './server/vercel.ts';

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

/** The servers that rules can be written for, by the name of the format. */
export const SERVER_FORMATS = {
  nginx: nginxFormat,
  apache: apacheFormat,
  netlify: netlifyFormat,
  vercel: vercelFormat,
  cloudflare: cloudflareFormat,
  caddy: caddyFormat,
} as const satisfies Record<string, ServerFormat>;

export type ServerFormatName = keyof typeof SERVER_FORMATS;

export function isServerFormat(name: string): name is ServerFormatName {
  return Object.hasOwn(SERVER_FORMATS, name);
}
