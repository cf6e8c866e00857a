import { csvFormat } from './csv.ts';
import type { LosslessFormat } from './entries.ts';
import { jsonFormat, ndjsonFormat } from './json.ts';
import { apacheFormat } from './server/apache.ts';
import { caddyFormat } from './server/caddy.ts';
import { cloudflareFormat } from './server/cloudflare.ts';
import { netlifyFormat } from './server/netlify.ts';
import { nginxFormat } from './server/nginx.ts';
import type { ServerFormat } from './server/server-format.ts';
import { vercelFormat } from './server/vercel.ts';

/** Formats with every field of every redirect. */
export const LOSSLESS_FORMATS = {
  json: jsonFormat,
  csv: csvFormat,
  ndjson: ndjsonFormat,
} as const satisfies Record<string, LosslessFormat>;

export type LosslessFormatName = keyof typeof LOSSLESS_FORMATS;

/** Configurations of servers, with the rules of one environment. */
export const SERVER_FORMATS = {
  nginx: nginxFormat,
  apache: apacheFormat,
  netlify: netlifyFormat,
  vercel: vercelFormat,
  cloudflare: cloudflareFormat,
  caddy: caddyFormat,
} as const satisfies Record<string, ServerFormat>;

export type ServerFormatName = keyof typeof SERVER_FORMATS;

/** Names of all formats, in the order of the documentation; the first is the default. */
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
] as const satisfies (LosslessFormatName | ServerFormatName)[];

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export function isServerFormat(name: ExportFormat): name is ServerFormatName {
  return Object.hasOwn(SERVER_FORMATS, name);
}
