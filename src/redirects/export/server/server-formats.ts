import { apacheFormat } from './apache.ts';
import { caddyFormat } from './caddy.ts';
import { cloudflareFormat } from './cloudflare.ts';
import { netlifyFormat } from './netlify.ts';
import { nginxFormat } from './nginx.ts';
import type { ServerFormat } from './server-format.ts';
import { vercelFormat } from './vercel.ts';

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
