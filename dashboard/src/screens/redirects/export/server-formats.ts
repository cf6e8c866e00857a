import type { ExportFormat } from '../../../api/client/wire.ts';

/** Server configurations with the redirects of one environment. */
export const SERVERS = [
  ['nginx', 'nginx map'],
  ['apache', 'Apache .htaccess'],
  ['caddy', 'Caddyfile'],
  ['netlify', 'Netlify _redirects'],
  ['vercel', 'Vercel JSON'],
  ['cloudflare', 'Cloudflare Bulk Redirects'],
] as const satisfies [ExportFormat, string][];

export type ServerFormat = (typeof SERVERS)[number][0];
