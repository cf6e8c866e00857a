import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseDatabaseUrl } from '../vocabulary/database-url.ts';

/** The requests that a process answers: redirects of managed websites (edge), everything else (api), or both. */
export type ProcessRole = 'all' | 'edge' | 'api';

/** The validated configuration. README.md lists the environment variables. */
export interface Config {
  host: string;
  /** 0: any free port */
  port: number;
  /** null: the embedded server under dataDir */
  databaseUrl: string | null;
  /** database connections of one process; null: the default of db/pool-sizes.ts */
  databaseConnections: number | null;
  dataDir: string;
  /** number of processes that share the port */
  processes: number;
  role: ProcessRole;
  /** whether live rulesets are stored under dataDir and read at the start */
  snapshots: boolean;
  redisUrl: string | null;
  /** the service's own origin, without a slash at the end */
  publicUrl: string;
  /** addresses and networks of the service, beside those that DNS has of publicUrl */
  publicAddresses: string[];
  /** further names of the service: hosts in lower case, without port */
  reservedHosts: string[];
  /** name servers that are asked for hosts of websites, such as 10.0.0.2:53; null: those of the system */
  dnsServers: string[] | null;
  /** 32 bytes; null: created once and stored in dataDir */
  secretKey: Buffer | null;
  /** opens what was sealed before SECRET_KEY changed */
  previousSecretKey: Buffer | null;
  cookiePrefix: string;
  signUp: 'open' | 'closed';
  /** the number of trusted proxies, or their networks */
  trustProxy: false | number | string[];
  /** in lower case */
  countryHeader: string | null;
  geoipDb: string | null;
  retentionDays: number;
  /** retention of hit statistics in days */
  hitsRetentionDays: number;
  webhookEgress: 'public' | 'private';
  /** false: this process sends no webhooks; their deliveries stay pending */
  webhookSending: boolean;
  /** bearer token of GET /metrics; null: private networks only */
  metricsToken: string | null;
  ownerEmail: string | null;
  ownerPassword: string | null;
}

const MAX_PROCESSES = 64;
const MAKE_KEY = 'make one with: openssl rand -base64 32';

/** One schema per variable. A message completes "PORT must ...". Values that may be secret are never shown. */
const Environment = z.object({
  HOST: setting(/^[A-Za-z0-9.:%_-]+$/, 'be a host name or IP address without port').default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535, 'or unset it for 3000').default(3000),
  DATABASE_URL: databaseUrl().optional(),
  DATABASE_CONNECTIONS: wholeNumber(20, 10_000, 'or unset it for the default').optional(),
  DATA_DIR: z.string().default('./.data'),
  PROCESSES: processes().default(1),
  DETOUR_ROLE: z.enum(['all', 'edge', 'api'], { error: 'must be "all", "edge" or "api"' }).default('all'),
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
  WEBHOOK_SENDING: z.enum(['on', 'off'], { error: 'must be "on" or "off"' }).default('on'),
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
  if (!names.has('DATABASE_URL') && (role === 'edge' || role === 'api'))
    wrong.push(
      `DATABASE_URL is required with DETOUR_ROLE=${role}: processes of different roles share a PostgreSQL server`,
    );
  if (names.has('DATABASE_URL') && role !== 'edge') {
    if (!names.has('PUBLIC_URL'))
      wrong.push(
        'PUBLIC_URL is required with DATABASE_URL: set it to the address of this service, such as https://detour.example.com',
      );
    if (!names.has('SECRET_KEY')) wrong.push(`SECRET_KEY is required with DATABASE_URL: ${MAKE_KEY}`);
    if (names.has('OWNER_EMAIL') !== names.has('OWNER_PASSWORD')) {
      const both = ['OWNER_EMAIL', 'OWNER_PASSWORD'];
      const [given, missing] = names.has('OWNER_EMAIL') ? both : both.toReversed();
      wrong.push(
        `${missing} is required with DATABASE_URL and ${given}: the first account needs both, so set it or unset ${given}`,
      );
    }
  }
  const prefix = /^__(?:Host|Secure)-/i.exec(set['COOKIE_PREFIX'] ?? '')?.[0];
  if (prefix && role !== 'edge' && !/^https:/i.test(set['PUBLIC_URL'] ?? ''))
    wrong.push(
      `COOKIE_PREFIX may begin with ${prefix} only if PUBLIC_URL is https: browsers drop such a cookie otherwise`,
    );
  if (names.has('COUNTRY_HEADER') && !names.has('TRUST_PROXY'))
    wrong.push('COUNTRY_HEADER needs TRUST_PROXY, as any client could send the header: set TRUST_PROXY or unset it');
  return wrong;
}

function toConfig(values: Values): Config {
  return {
    host: values.HOST,
    port: values.PORT,
    databaseUrl: values.DATABASE_URL ?? null,
    databaseConnections: values.DATABASE_CONNECTIONS ?? null,
    dataDir: resolve(values.DATA_DIR),
    processes: values.PROCESSES,
    role: values.DETOUR_ROLE,
    snapshots: values.SNAPSHOTS === 'on',
    redisUrl: values.REDIS_URL ?? null,
    publicUrl: values.PUBLIC_URL ?? localUrl(values.PORT),
    publicAddresses: values.PUBLIC_ADDRESSES ?? [],
    reservedHosts: values.RESERVED_HOSTS ?? [],
    dnsServers: values.DNS_SERVERS ?? null,
    secretKey: values.SECRET_KEY ?? null,
    previousSecretKey: values.SECRET_KEY_PREVIOUS ?? null,
    cookiePrefix: values.COOKIE_PREFIX,
    signUp: values.SIGN_UP,
    trustProxy: values.TRUST_PROXY ?? false,
    countryHeader: values.COUNTRY_HEADER?.toLowerCase() ?? null,
    geoipDb: values.GEOIP_DB ?? null,
    retentionDays: values.RETENTION_DAYS,
    hitsRetentionDays: values.HITS_RETENTION_DAYS,
    webhookEgress: values.WEBHOOK_EGRESS ?? defaultEgress(values),
    webhookSending: values.WEBHOOK_SENDING === 'on',
    metricsToken: values.METRICS_TOKEN ?? null,
    ownerEmail: values.OWNER_EMAIL ?? null,
    ownerPassword: values.OWNER_PASSWORD ?? null,
  };
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

const actual = (value: string) => `it is ${JSON.stringify(value)}`;

function setting(form: RegExp, rule: string, maxLength = 1_000) {
  return z.string().superRefine((value, context) => {
    if (value.length > maxLength || !form.test(value)) context.addIssue(`must ${rule}, ${actual(value)}`);
  });
}

/** A bearer token (RFC 6750), which is never shown. */
function token() {
  const error = 'must be 16 to 256 letters, digits or ._~+/=-, make one with: openssl rand -hex 24';
  return z.string().regex(/^[A-Za-z0-9._~+/=-]{16,256}$/, { error });
}

function wholeNumber(min: number, max: number, orElse: string) {
  return z.string().transform((value, context) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    context.addIssue(`must be a whole number from ${min} to ${max}, ${orElse}; ${actual(value)}`);
    return z.NEVER;
  });
}

function processes() {
  return z.string().transform((value, context) => {
    if (value === 'auto') return Math.min(availableParallelism(), MAX_PROCESSES);
    const number = /^\d{1,2}$/.test(value) ? Number(value) : 0;
    if (number >= 1 && number <= MAX_PROCESSES) return number;
    context.addIssue(
      `must be "auto" or a whole number from 1 to ${MAX_PROCESSES}, or unset it for 1; ${actual(value)}`,
    );
    return z.NEVER;
  });
}

/** A URL that may contain a password and is never shown. */
function databaseUrl() {
  return z.string().superRefine((value, context) => {
    const target = parseDatabaseUrl(value);
    if (typeof target === 'string') context.addIssue(target);
  });
}

function address(protocols: string[], example: string) {
  return z.string().superRefine((value, context) => {
    const url = URL.parse(value);
    if (!url || !protocols.includes(url.protocol) || (url.hostname === '' && !url.searchParams.has('host')))
      context.addIssue(`must be an address such as ${example}`);
  });
}

function origin() {
  return z.string().transform((value, context) => {
    const url = URL.parse(value);
    const isOrigin = url && (value === url.origin || value === `${url.origin}/`);
    if (url && ['http:', 'https:'].includes(url.protocol) && (isOrigin || url.href === `${url.origin}/`))
      return url.origin;
    context.addIssue('must be the address of this service without path, such as https://detour.example.com');
    return z.NEVER;
  });
}

function hosts() {
  return z.string().transform((value, context) => {
    const urls = value.split(',').map((host) => URL.parse(`http://${host.trim()}`));
    if (urls.every((url) => url !== null && url.port === '' && url.href === `${url.origin}/`))
      return urls.flatMap((url) => url?.hostname.replace(/\.$/, '') ?? []);
    context.addIssue(`must be hosts without scheme and port, such as detour,old.example.com; ${actual(value)}`);
    return z.NEVER;
  });
}

function nameServers() {
  return z.string().transform((value, context) => {
    const servers = value.split(',').map((server) => server.trim());
    const isServer = (text: string): boolean =>
      isIP(text.replace(/^\[(.*)\](:\d{1,5})?$|^([\d.]+):\d{1,5}$/, '$1$3')) !== 0;
    if (servers.every(isServer)) return servers;
    context.addIssue(`must be IP addresses of name servers, such as 10.0.0.2,[fd00::2]:53; ${actual(value)}`);
    return z.NEVER;
  });
}

function key() {
  return z.string().transform((value, context) => {
    const bytes = Buffer.from(value, 'base64');
    if (bytes.length === 32 && bytes.toString('base64').replace('=', '') === value.replace(/=$/, '')) return bytes;
    context.addIssue(`must be 32 bytes in base64: ${MAKE_KEY}`);
    return z.NEVER;
  });
}

function trustProxy() {
  return z.string().transform((value, context) => {
    if (/^[1-9]\d?$/.test(value)) return Number(value);
    const networks = value.split(',').map((network) => network.trim());
    if (networks.every(isNetwork)) return networks;
    context.addIssue(
      `must be 1 for one proxy in front, or trusted networks such as 10.0.0.0/8,192.168.1.4, or unset for none; ${actual(value)}`,
    );
    return z.NEVER;
  });
}

function networks(rule: string) {
  return z.string().transform((value, context) => {
    const found = value.split(',').map((network) => network.trim());
    if (found.every(isNetwork)) return found;
    context.addIssue(`must ${rule}; ${actual(value)}`);
    return z.NEVER;
  });
}

function isNetwork(text: string): boolean {
  const [ip = '', prefix, ...rest] = text.split('/');
  const family = isIP(ip);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
