import type { ExportFormat } from '../../api/wire.ts';

/** Every redirect with everything about it. */
export const LOSSLESS = [
  ['csv', 'CSV'],
  ['json', 'JSON'],
  ['ndjson', 'NDJSON, a line each'],
] as const satisfies [ExportFormat, string][];

/** What one environment has, as another server's configuration. */
export const SERVERS = [
  ['nginx', 'nginx map'],
  ['apache', 'Apache .htaccess'],
  ['caddy', 'Caddyfile'],
  ['netlify', 'Netlify _redirects'],
  ['vercel', 'Vercel JSON'],
  ['cloudflare', 'Cloudflare Bulk Redirects'],
] as const satisfies [ExportFormat, string][];

export type ServerFormat = (typeof SERVERS)[number][0];
