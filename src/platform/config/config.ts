import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { DatabaseUrl } from '../../vocabulary/database-url.ts';
import {
  address,
  databaseUrl,
  hosts,
  ids,
  key,
  MAKE_KEY,
  nameServers,
  networks,
  origin,
  processes,
  sender,
  setting,
  token,
  trustProxy,
  wholeNumber,
} from './setting.ts';

/** The requests that a process answers: redirects of managed websites (edge), everything else (api), or both. */
export type ProcessRole = 'all' | 'edge' | 'api';

/** One schema per variable. A message completes "PORT must ..." (setting.ts). Values that may be secret are never shown. */
const Environment = z.object({
  HOST: setting(/^[A-Za-z0-9.:%_-]+$/, 'be a host name or IP address without port').default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535, 'or unset it for 3000').default(3000),
  DATABASE_URL: databaseUrl().optional(),
  DATABASE_DIRECT_URL: databaseUrl().optional(),
  DATABASE_READ_URL: databaseUrl('reads').optional(),
  DATABASE_PREPARED: z.enum(['on', 'off'], { error: 'must be "on" or "off"' }).default('on'),
  DATABASE_CONNECTIONS: wholeNumber(20, 10_000, 'or unset it for the default').optional(),
  DATA_DIR: z.string().default('./.data'),
  PROCESSES: processes().default(1),
  DETOUR_ROLE: z.enum(['all', 'edge', 'api'], { error: 'must be "all", "edge" or "api"' }).default('all'),
  EDGE_WEBSITES: ids('websites').optional(),
  EDGE_ACCOUNTS: ids('accounts').optional(),
  SNAPSHOTS: z.enum(['on', 'off'], { error: 'must be "on" or "off"' }).default('on'),
  REDIS_URL: address(['redis:', 'rediss:'], 'redis://host:6379').optional(),
  PUBLIC_URL: origin().optional(),
  PUBLIC_ADDRESSES: networks('be addresses of this service such as 203.0.113.7,2001:db8::/64').optional(),
  RESERVED_HOSTS: hosts().optional(),
  DNS_SERVERS: nameServers().optional(),
  SECRET_KEY: key().optional(),
  SECRET_KEY_PREVIOUS: key().optional(),
  COOKIE_PREFIX: setting(/^[A-Za-z0-9_-]{1,64}$/, 'be 1 to 64 letters, digits, - or _').default('detour'),
  SIGN_UP: z.enum(['open', 'closed'], { error: 'must be "open" or "closed"' }).default('closed'),
  TRUST_PROXY: trustProxy().optional(),
  COUNTRY_HEADER: setting(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'be the name of a header, such as cf-ipcountry').optional(),
  GEOIP_DB: z.string().optional(),
  RETENTION_DAYS: wholeNumber(1, 3_660, 'or unset it for 30').default(30),
  HITS_RETENTION_DAYS: wholeNumber(1, 3_660, 'or unset it for 400').default(400),
  WEBHOOK_EGRESS: z.enum(['public', 'private'], { error: 'must be "public" or "private"' }).optional(),
  CHECK_EGRESS: z.enum(['public', 'private'], { error: 'must be "public" or "private"' }).default('public'),
  WEBHOOK_SENDING: z.enum(['on', 'off'], { error: 'must be "on" or "off"' }).default('on'),
  SMTP_URL: address(['smtp:', 'smtps:'], 'smtp://user:password@mail.example.com:587').optional(),
  MAIL_FROM: sender().optional(),
  METRICS_TOKEN: token().optional(),
  OWNER_EMAIL: setting(/^[^\s@]+@[^\s@]+$/, 'be an email address of at most 254 characters', 254).optional(),
  OWNER_PASSWORD: z.string().min(10, { error: 'must have at least 10 characters' }).optional(),
});

type Values = z.infer<typeof Environment>;

/**
 * Reads the configuration. An empty variable counts as unset. Throws an Error of one line that names every invalid
 * variable and the fix. No other module reads the environment.
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = Environment.safeParse(set);
  const wrong = (parsed.error?.issues ?? []).map((issue) => `${String(issue.path[0])} ${issue.message}`);
  wrong.push(...conflicts(set));
  if (!parsed.success || wrong.length > 0) throw new Error(`wrong configuration: ${wrong.join('; ')}`);
  return toConfig(parsed.data);
}

/** Errors in the combination of variables. An edge process has no pages and seals no secrets. */
function conflicts(set: Record<string, string | undefined>): string[] {
  const names = new Set(Object.keys(set));
  const role = set['DETOUR_ROLE'];
  const wrong: string[] = [];
  function requirePair(one: string, other: string, besides: string, use: string): void {
    if (names.has(one) === names.has(other)) return;
    const [given, missing] = names.has(one) ? [one, other] : [other, one];
    wrong.push(`${missing} is required with ${besides}${given}: ${use} needs both, so set it or unset ${given}`);
  }
  if (!names.has('DATABASE_URL') && (role === 'edge' || role === 'api'))
    wrong.push(
      `DATABASE_URL is required with DETOUR_ROLE=${role}: processes of different roles share a PostgreSQL server`,
    );
  const part = ['EDGE_WEBSITES', 'EDGE_ACCOUNTS'].filter((name) => names.has(name));
  if (part.length > 1) wrong.push('EDGE_WEBSITES and EDGE_ACCOUNTS exclude each other: unset one of them');
  if (part[0] && role !== 'edge')
    wrong.push(`${part[0]} needs DETOUR_ROLE=edge, as the API needs every website: set it, or unset ${part[0]}`);
  if (names.has('DATABASE_DIRECT_URL') && !names.has('DATABASE_URL'))
    wrong.push(
      'DATABASE_DIRECT_URL needs DATABASE_URL, the address of the pooler: set it, or rename the one to the other',
    );
  if (names.has('DATABASE_READ_URL') && !names.has('DATABASE_URL'))
    wrong.push('DATABASE_READ_URL needs DATABASE_URL, the address of the primary: set it, or unset DATABASE_READ_URL');
  if (names.has('DATABASE_URL') && role !== 'edge') {
    if (!names.has('PUBLIC_URL'))
      wrong.push(
        'PUBLIC_URL is required with DATABASE_URL: set it to the address of this service, such as https://detour.example.com',
      );
    if (!names.has('SECRET_KEY')) wrong.push(`SECRET_KEY is required with DATABASE_URL: ${MAKE_KEY}`);
    requirePair('OWNER_EMAIL', 'OWNER_PASSWORD', 'DATABASE_URL and ', 'the first account');
  }
  requirePair('SMTP_URL', 'MAIL_FROM', '', 'mail');
  const prefix = /^__(?:Host|Secure)-/i.exec(set['COOKIE_PREFIX'] ?? '')?.[0];
  if (prefix && role !== 'edge' && !/^https:/i.test(set['PUBLIC_URL'] ?? ''))
    wrong.push(
      `COOKIE_PREFIX may begin with ${prefix} only if PUBLIC_URL is https: browsers drop such a cookie otherwise`,
    );
  if (names.has('COUNTRY_HEADER') && !names.has('TRUST_PROXY'))
    wrong.push('COUNTRY_HEADER needs TRUST_PROXY, as any client could send the header: set TRUST_PROXY or unset it');
  return wrong;
}

/** The websites that a process serves: those with these ids, or those of accounts with these ids. */
export interface EdgePart {
  of: 'websites' | 'accounts';
  ids: number[];
}

function edgePartOf({ EDGE_WEBSITES: websites, EDGE_ACCOUNTS: accounts }: Values): EdgePart | null {
  if (websites) return { of: 'websites', ids: websites };
  return accounts ? { of: 'accounts', ids: accounts } : null;
}

/** The validated configuration. README.md lists the environment variables. */
export type Config = ReturnType<typeof toConfig>;

function toConfig(values: Values) {
  return {
    host: values.HOST,
    /** 0: any free port */
    port: values.PORT,
    /** null: the embedded server under dataDir */
    databaseUrl: databaseUrlOf(values),
    /** of a standby; null: the primary answers all reads */
    databaseReadUrl: values.DATABASE_READ_URL ?? null,
    /** database connections of one process; null: the default of db/connection/pool-sizes.ts */
    databaseConnections: values.DATABASE_CONNECTIONS ?? null,
    dataDir: resolve(values.DATA_DIR),
    processes: values.PROCESSES,
    role: values.DETOUR_ROLE,
    /** null: every website */
    edgePart: edgePartOf(values),
    /** whether live rulesets are stored under dataDir and read at the start */
    snapshots: values.SNAPSHOTS === 'on',
    redisUrl: values.REDIS_URL ?? null,
    /** the service's own origin, without a slash at the end */
    publicUrl: values.PUBLIC_URL ?? localUrl(values.PORT),
    /** addresses and networks of the service, beside those that DNS has of publicUrl */
    publicAddresses: values.PUBLIC_ADDRESSES ?? [],
    /** further names of the service: hosts in lower case, without port */
    reservedHosts: values.RESERVED_HOSTS ?? [],
    /** name servers that are asked for hosts of websites, such as 10.0.0.2:53; null: those of the system */
    dnsServers: values.DNS_SERVERS ?? null,
    /** 32 bytes; null: created once and stored in dataDir */
    secretKey: values.SECRET_KEY ?? null,
    /** opens what was sealed before SECRET_KEY changed */
    previousSecretKey: values.SECRET_KEY_PREVIOUS ?? null,
    cookiePrefix: values.COOKIE_PREFIX,
    signUp: values.SIGN_UP,
    /** the number of trusted proxies, or their networks */
    trustProxy: values.TRUST_PROXY ?? (false as const),
    /** in lower case */
    countryHeader: values.COUNTRY_HEADER?.toLowerCase() ?? null,
    geoipDb: values.GEOIP_DB ?? null,
    retentionDays: values.RETENTION_DAYS,
    /** retention of hit statistics in days */
    hitsRetentionDays: values.HITS_RETENTION_DAYS,
    webhookEgress: values.WEBHOOK_EGRESS ?? defaultEgress(values),
    /** the addresses that live checks may ask */
    checkEgress: values.CHECK_EGRESS,
    /** false: this process sends no webhooks; their deliveries stay pending */
    webhookSending: values.WEBHOOK_SENDING === 'on',
    /** the server that mail is sent through, and its sender; null: no mail is sent */
    mail: values.SMTP_URL && values.MAIL_FROM ? { url: values.SMTP_URL, from: values.MAIL_FROM } : null,
    /** bearer token of GET /metrics; null: private networks only */
    metricsToken: values.METRICS_TOKEN ?? null,
    ownerEmail: values.OWNER_EMAIL ?? null,
    ownerPassword: values.OWNER_PASSWORD ?? null,
  };
}

/** One URL for everything unless a pooler is configured. */
function databaseUrlOf({ DATABASE_URL: url, DATABASE_DIRECT_URL, DATABASE_PREPARED }: Values): DatabaseUrl | null {
  const isPrepared = DATABASE_PREPARED === 'on';
  if (url === undefined || (DATABASE_DIRECT_URL === undefined && isPrepared)) return url ?? null;
  return { url, directUrl: DATABASE_DIRECT_URL ?? null, isPrepared };
}

/** Private networks are reachable only for a trial on one machine: embedded database, and a listener on loopback. */
function defaultEgress({ DATABASE_URL, HOST }: Values): 'public' | 'private' {
  const isLoopback = HOST === 'localhost' || HOST === '::1' || (isIP(HOST) === 4 && HOST.startsWith('127.'));
  return DATABASE_URL === undefined && isLoopback ? 'private' : 'public';
}

/** The default of PUBLIC_URL. */
export function localUrl(port: number): string {
  return `http://localhost:${port}`;
}
