import { csvFormat } from './csv.ts';
import { jsonFormat, ndjsonFormat } from './json.ts';
import { apacheFormat } from './servers/apache.ts';
import { caddyFormat } from './servers/caddy.ts';
import { cloudflareFormat, netlifyFormat, vercelFormat } from './servers/list-formats.ts';
import { nginxFormat } from './servers/nginx.ts';

export const LOSSLESS_FORMATS = { json: jsonFormat, csv: csvFormat, ndjson: ndjsonFormat };

/** Configurations of servers, with the rules of one environment. */
export const SERVER_FORMATS = {
  nginx: nginxFormat,
  apache: apacheFormat,
  netlify: netlifyFormat,
  vercel: vercelFormat,
  cloudflare: cloudflareFormat,
  caddy: caddyFormat,
};

export type ExportFormat = keyof typeof LOSSLESS_FORMATS | keyof typeof SERVER_FORMATS;

/** Names of all formats, in the order of the documentation; the first is the default. */
export const EXPORT_FORMATS = Object.keys({ ...LOSSLESS_FORMATS, ...SERVER_FORMATS }) as ExportFormat[];

export function isServerFormat(name: ExportFormat): name is keyof typeof SERVER_FORMATS {
  return Object.hasOwn(SERVER_FORMATS, name);
}
