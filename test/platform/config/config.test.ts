/** Holds the rules of src/platform/config/setting.ts. */
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { type Config, loadConfig } from '../../../src/platform/config/config.ts';

const KEY = Buffer.alloc(32, 251).toString('base64');
const DATABASE = {
  DATABASE_URL: 'postgres://detour:secret@db.example/detour',
  PUBLIC_URL: 'https://detour.example.com',
  SECRET_KEY: KEY,
};

test('without any variable the service runs by itself on localhost', () => {
  expect(loadConfig({})).toEqual({
    host: '127.0.0.1',
    port: 3000,
    databaseUrl: null,
    databaseReadUrl: null,
    databaseConnections: null,
    dataDir: resolve('./.data'),
    processes: 1,
    role: 'all',
    edgePart: null,
    snapshots: true,
    redisUrl: null,
    publicUrl: 'http://localhost:3000',
    publicAddresses: [],
    reservedHosts: [],
    dnsServers: null,
    secretKey: null,
    previousSecretKey: null,
    cookiePrefix: 'detour',
    signUp: 'closed',
    trustProxy: false,
    countryHeader: null,
    geoipDb: null,
    retentionDays: 30,
    hitsRetentionDays: 400,
    webhookEgress: 'private',
    checkEgress: 'public',
    webhookSending: true,
    mail: null,
    metricsToken: null,
    ownerEmail: null,
    ownerPassword: null,
  } satisfies Config);
});

test('an empty variable counts as left out', () => {
  const names =
    'HOST PORT DATABASE_URL DATABASE_DIRECT_URL DATABASE_READ_URL DATABASE_PREPARED DATA_DIR PROCESSES DETOUR_ROLE EDGE_WEBSITES EDGE_ACCOUNTS SNAPSHOTS REDIS_URL PUBLIC_URL RESERVED_HOSTS DNS_SERVERS SECRET_KEY SECRET_KEY_PREVIOUS COOKIE_PREFIX SIGN_UP TRUST_PROXY COUNTRY_HEADER GEOIP_DB RETENTION_DAYS HITS_RETENTION_DAYS WEBHOOK_EGRESS CHECK_EGRESS WEBHOOK_SENDING SMTP_URL MAIL_FROM METRICS_TOKEN OWNER_EMAIL OWNER_PASSWORD';
  expect(loadConfig(Object.fromEntries(names.split(' ').map((name) => [name, ''])))).toEqual(loadConfig({}));
});

const EDGE = { DATABASE_URL: DATABASE.DATABASE_URL, DETOUR_ROLE: 'edge' };

const right: [Record<string, string>, Partial<Config>][] = [
  [{ HOST: '0.0.0.0' }, { host: '0.0.0.0', webhookEgress: 'public' }],
  [{ HOST: '::' }, { host: '::', webhookEgress: 'public' }],
  [{ HOST: '127.evil.example' }, { webhookEgress: 'public' }],
  [{ HOST: '127.0.0.2' }, { webhookEgress: 'private' }],
  [{ HOST: '::1' }, { webhookEgress: 'private' }],
  [{ HOST: 'localhost' }, { webhookEgress: 'private' }],
  [{ HOST: '0.0.0.0', WEBHOOK_EGRESS: 'private' }, { webhookEgress: 'private' }],
  [{ PORT: '8080' }, { port: 8080, publicUrl: 'http://localhost:8080' }],
  [{ PORT: '0' }, { port: 0 }],
  [{ PORT: '65535' }, { port: 65_535 }],
  [DATABASE, { databaseUrl: DATABASE.DATABASE_URL, webhookEgress: 'public' }],
  [
    { ...DATABASE, DATABASE_DIRECT_URL: 'postgres://db/detour', DATABASE_PREPARED: 'off' },
    { databaseUrl: { url: DATABASE.DATABASE_URL, directUrl: 'postgres://db/detour', isPrepared: false } },
  ],
  [
    { ...DATABASE, DATABASE_PREPARED: 'off' },
    { databaseUrl: { url: DATABASE.DATABASE_URL, directUrl: null, isPrepared: false } },
  ],
  [
    { ...DATABASE, DATABASE_URL: 'postgresql://%2Fvar%2Frun/detour' },
    { databaseUrl: 'postgresql://%2Fvar%2Frun/detour' },
  ],
  [{ DATA_DIR: '/var/lib/detour' }, { dataDir: '/var/lib/detour' }],
  [{ DATA_DIR: 'elsewhere' }, { dataDir: resolve('elsewhere') }],
  [{ PROCESSES: '1' }, { processes: 1 }],
  [{ PROCESSES: '64' }, { processes: 64 }],
  [{ PROCESSES: 'auto' }, { processes: Math.min(availableParallelism(), 64) }],
  [{ ...DATABASE, DETOUR_ROLE: 'api' }, { role: 'api' }],
  [
    { DATABASE_URL: DATABASE.DATABASE_URL, DETOUR_ROLE: 'edge' },
    { role: 'edge', secretKey: null },
  ],
  [{ ...EDGE, EDGE_WEBSITES: '7, 12,7' }, { edgePart: { of: 'websites', ids: [7, 12] } }],
  [{ ...EDGE, EDGE_ACCOUNTS: '3' }, { edgePart: { of: 'accounts', ids: [3] } }],
  [{ SNAPSHOTS: 'off' }, { snapshots: false }],
  [{ REDIS_URL: 'redis://cache:6379/1' }, { redisUrl: 'redis://cache:6379/1' }],
  [{ REDIS_URL: 'rediss://u:p@cache' }, { redisUrl: 'rediss://u:p@cache' }],
  [{ PUBLIC_URL: 'https://detour.example.com/' }, { publicUrl: 'https://detour.example.com' }],
  [{ PUBLIC_URL: 'HTTP://Detour.Example:8080' }, { publicUrl: 'http://detour.example:8080' }],
  [{ RESERVED_HOSTS: 'Detour, bücher.example.' }, { reservedHosts: ['detour', 'xn--bcher-kva.example'] }],
  [{ DNS_SERVERS: '10.0.0.2, [fd00::2]:53,fd00::3' }, { dnsServers: ['10.0.0.2', '[fd00::2]:53', 'fd00::3'] }],
  [{ SECRET_KEY: KEY }, { secretKey: Buffer.alloc(32, 251) }],
  [{ SECRET_KEY_PREVIOUS: KEY }, { previousSecretKey: Buffer.alloc(32, 251) }],
  [{ SECRET_KEY: KEY.replace('=', '') }, { secretKey: Buffer.alloc(32, 251) }],
  [{ ...DATABASE, COOKIE_PREFIX: '__Host-detour' }, { cookiePrefix: '__Host-detour' }],
  [{ SIGN_UP: 'open' }, { signUp: 'open' }],
  [{ TRUST_PROXY: '1' }, { trustProxy: 1 }],
  [{ TRUST_PROXY: '10.0.0.0/8, 192.168.1.4,fd00::/8' }, { trustProxy: ['10.0.0.0/8', '192.168.1.4', 'fd00::/8'] }],
  [{ TRUST_PROXY: '1', COUNTRY_HEADER: 'CF-IPCountry' }, { countryHeader: 'cf-ipcountry' }],
  [{ GEOIP_DB: '/data/country.mmdb' }, { geoipDb: '/data/country.mmdb' }],
  [{ RETENTION_DAYS: '365' }, { retentionDays: 365 }],
  [{ HITS_RETENTION_DAYS: '90' }, { hitsRetentionDays: 90 }],
  [{ WEBHOOK_EGRESS: 'public' }, { webhookEgress: 'public' }],
  [{ WEBHOOK_SENDING: 'off' }, { webhookSending: false }],
  [
    { SMTP_URL: 'smtp://u:p%40ss@mail.example', MAIL_FROM: 'no@reply.example' },
    { mail: { url: 'smtp://u:p%40ss@mail.example', from: { name: '', address: 'no@reply.example' } } },
  ],
  [
    { SMTP_URL: 'smtps://mail.example:465', MAIL_FROM: 'Müller Redirects <no@reply.example>' },
    { mail: { url: 'smtps://mail.example:465', from: { name: 'Müller Redirects', address: 'no@reply.example' } } },
  ],
  [{ METRICS_TOKEN: '0123456789abcdef' }, { metricsToken: '0123456789abcdef' }],
  [{ ...DATABASE, WEBHOOK_EGRESS: 'private' }, { webhookEgress: 'private' }],
  [{ OWNER_EMAIL: 'me@example.com' }, { ownerEmail: 'me@example.com' }],
  [{ OWNER_PASSWORD: '1234567890' }, { ownerPassword: '1234567890' }],
];

test.each(right)('%j is taken', (env, expected) => {
  expect(loadConfig(env)).toMatchObject(expected);
});

/** [variables, the variable that the error names, the remedy that it tells] */
const wrong: [Record<string, string>, string, string][] = [
  [{ HOST: 'http://localhost' }, 'HOST', 'host name or IP address'],
  [{ PORT: 'abc' }, 'PORT', 'from 0 to 65535'],
  [{ PORT: '65536' }, 'PORT', 'from 0 to 65535'],
  [{ PORT: '-1' }, 'PORT', 'from 0 to 65535'],
  [{ PORT: '80.5' }, 'PORT', 'from 0 to 65535'],
  [{ PORT: '0x50' }, 'PORT', 'from 0 to 65535'],
  [{ PORT: ' ' }, 'PORT', 'from 0 to 65535'],
  [{ PROCESSES: '0' }, 'PROCESSES', 'from 1 to 64'],
  [{ PROCESSES: '65' }, 'PROCESSES', 'from 1 to 64'],
  [{ PROCESSES: '2.5' }, 'PROCESSES', 'from 1 to 64'],
  [{ PROCESSES: 'all' }, 'PROCESSES', '"auto"'],
  [{ ...DATABASE, DETOUR_ROLE: 'worker' }, 'DETOUR_ROLE', '"all", "edge" or "api"'],
  [{ DETOUR_ROLE: 'edge' }, 'DATABASE_URL', 'required with DETOUR_ROLE=edge'],
  [{ ...EDGE, EDGE_WEBSITES: '7,shop' }, 'EDGE_WEBSITES', 'must be ids of websites with commas'],
  [{ ...EDGE, EDGE_WEBSITES: '7,' }, 'EDGE_WEBSITES', 'must be ids of websites with commas'],
  [{ ...EDGE, EDGE_ACCOUNTS: '0' }, 'EDGE_ACCOUNTS', 'must be ids of accounts with commas'],
  [{ ...EDGE, EDGE_ACCOUNTS: '1', EDGE_WEBSITES: '2' }, 'EDGE_WEBSITES', 'exclude each other: unset one of them'],
  [{ ...DATABASE, EDGE_ACCOUNTS: '1' }, 'EDGE_ACCOUNTS', 'needs DETOUR_ROLE=edge'],
  [{ DETOUR_ROLE: 'api' }, 'DATABASE_URL', 'required with DETOUR_ROLE=api'],
  [{ ...DATABASE, SECRET_KEY: '', DETOUR_ROLE: 'api' }, 'SECRET_KEY', 'openssl'],
  [{ SNAPSHOTS: 'yes' }, 'SNAPSHOTS', '"on" or "off"'],
  [{ ...DATABASE, DATABASE_URL: 'mysql://db/x' }, 'DATABASE_URL', 'postgres://'],
  [{ ...DATABASE, DATABASE_URL: 'postgres://u@a,/db' }, 'DATABASE_URL', 'host1:5432,host2:5432'],
  [{ ...DATABASE, DATABASE_URL: 'postgres://u@a/db?target_session_attrs=standby' }, 'DATABASE_URL', 'read-write'],
  [{ ...DATABASE, DATABASE_URL: 'localhost:5432' }, 'DATABASE_URL', 'postgres://'],
  [{ DATABASE_DIRECT_URL: 'postgres://db/detour' }, 'DATABASE_DIRECT_URL', 'needs DATABASE_URL'],
  [{ DATABASE_READ_URL: 'postgres://db/detour' }, 'DATABASE_READ_URL', 'needs DATABASE_URL'],
  [{ ...DATABASE, DATABASE_READ_URL: 'postgres://a,b/detour' }, 'DATABASE_READ_URL', 'target_session_attrs=standby'],
  [
    { ...DATABASE, DATABASE_URL: 'postgres://a/b?target_session_attrs=standby' },
    'DATABASE_URL',
    'must lead to the primary',
  ],
  [{ ...DATABASE, DATABASE_DIRECT_URL: 'db:5432' }, 'DATABASE_DIRECT_URL', 'postgres://'],
  [{ ...DATABASE, DATABASE_PREPARED: 'no' }, 'DATABASE_PREPARED', '"on" or "off"'],
  [{ ...DATABASE, PUBLIC_URL: '' }, 'PUBLIC_URL', 'required with DATABASE_URL'],
  [{ ...DATABASE, SECRET_KEY: '' }, 'SECRET_KEY', 'openssl rand -base64 32'],
  [{ ...DATABASE, OWNER_EMAIL: 'me@example.com' }, 'OWNER_PASSWORD', 'unset OWNER_EMAIL'],
  [{ ...DATABASE, OWNER_PASSWORD: '1234567890' }, 'OWNER_EMAIL', 'unset OWNER_PASSWORD'],
  [{ REDIS_URL: 'cache:6379' }, 'REDIS_URL', 'redis://'],
  [{ PUBLIC_URL: 'detour.example.com' }, 'PUBLIC_URL', 'https://detour.example.com'],
  [{ PUBLIC_URL: 'https://detour.example.com/app' }, 'PUBLIC_URL', 'without path'],
  [{ PUBLIC_URL: 'https://me:pw@detour.example.com' }, 'PUBLIC_URL', 'without path'],
  [{ PUBLIC_URL: 'ftp://detour.example.com' }, 'PUBLIC_URL', 'https://'],
  [{ RESERVED_HOSTS: 'detour:3000' }, 'RESERVED_HOSTS', 'without scheme and port'],
  [{ RESERVED_HOSTS: 'https://detour' }, 'RESERVED_HOSTS', 'without scheme and port'],
  [{ RESERVED_HOSTS: 'detour,' }, 'RESERVED_HOSTS', 'without scheme and port'],
  [{ DNS_SERVERS: 'dns.example' }, 'DNS_SERVERS', 'IP addresses'],
  [{ SECRET_KEY: 'short' }, 'SECRET_KEY', '32 bytes in base64'],
  [{ SECRET_KEY: `${KEY.slice(0, -2)}!=` }, 'SECRET_KEY', '32 bytes in base64'],
  [{ SECRET_KEY: Buffer.alloc(33).toString('base64') }, 'SECRET_KEY', '32 bytes in base64'],
  [{ COOKIE_PREFIX: 'a;b' }, 'COOKIE_PREFIX', 'letters, digits'],
  [{ COOKIE_PREFIX: '__Host-detour' }, 'COOKIE_PREFIX', 'only if PUBLIC_URL is https'],
  [{ ...DATABASE, PUBLIC_URL: 'http://d.example', COOKIE_PREFIX: '__host-x' }, 'COOKIE_PREFIX', 'PUBLIC_URL is https'],
  [{ SIGN_UP: 'yes' }, 'SIGN_UP', '"open" or "closed"'],
  [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY', 'unset for none'],
  [{ TRUST_PROXY: '0' }, 'TRUST_PROXY', 'unset for none'],
  [{ TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY', '10.0.0.0/8'],
  [{ TRUST_PROXY: '10.0.0.1,' }, 'TRUST_PROXY', '10.0.0.0/8'],
  [{ COUNTRY_HEADER: 'cf-ipcountry' }, 'COUNTRY_HEADER', 'TRUST_PROXY'],
  [{ TRUST_PROXY: '1', COUNTRY_HEADER: 'a b' }, 'COUNTRY_HEADER', 'name of a header'],
  [{ RETENTION_DAYS: '0' }, 'RETENTION_DAYS', 'from 1 to 3660'],
  [{ HITS_RETENTION_DAYS: '-1' }, 'HITS_RETENTION_DAYS', 'from 1 to 3660'],
  [{ RETENTION_DAYS: 'forever' }, 'RETENTION_DAYS', 'from 1 to 3660'],
  [{ WEBHOOK_SENDING: 'false' }, 'WEBHOOK_SENDING', '"on" or "off"'],
  [{ SMTP_URL: 'smtp://mail.example' }, 'MAIL_FROM', 'unset SMTP_URL'],
  [{ MAIL_FROM: 'no@reply.example' }, 'SMTP_URL', 'unset MAIL_FROM'],
  [{ SMTP_URL: 'http://mail.example', MAIL_FROM: 'no@reply.example' }, 'SMTP_URL', 'smtp://'],
  [{ SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'A <a@b.example>, c@d.example' }, 'MAIL_FROM', 'a mailbox'],
  [{ SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'a@b.example\r\nBcc: c@d.example' }, 'MAIL_FROM', 'a mailbox'],
  [{ METRICS_TOKEN: '0123456789abcde' }, 'METRICS_TOKEN', 'openssl rand -hex 24'],
  [{ METRICS_TOKEN: '0123456789 abcdef' }, 'METRICS_TOKEN', '16 to 256'],
  [{ WEBHOOK_EGRESS: 'none' }, 'WEBHOOK_EGRESS', '"public" or "private"'],
  [{ OWNER_EMAIL: 'me' }, 'OWNER_EMAIL', 'email address'],
  [{ OWNER_PASSWORD: '123456789' }, 'OWNER_PASSWORD', 'at least 10 characters'],
];

test.each(wrong)('%j is refused naming the variable and the remedy', (env, variable, remedy) => {
  expect(() => loadConfig(env)).toThrow(new RegExp(`^wrong configuration: ${variable} .*${escape(remedy)}`));
});

test('several wrong variables are all named, in one line', () => {
  const env = { PORT: 'a\nb', SIGN_UP: 'x', RETENTION_DAYS: '-' };
  expect(() => loadConfig(env)).toThrow(/^wrong.*PORT .*SIGN_UP .*RETENTION_DAYS .*$/);
  expect(message(env)).not.toContain('\n');
});

test('what is missing is named beside what is wrong', () => {
  expect(message({ DATABASE_URL: DATABASE.DATABASE_URL, PORT: 'x' })).toMatch(/PORT .*PUBLIC_URL .*SECRET_KEY /);
});

test.each([
  { ...DATABASE, DATABASE_URL: 'http://u:hunter2@db' },
  { REDIS_URL: 'http://u:hunter2@c' },
  { SECRET_KEY: 'hunter2' },
  { OWNER_PASSWORD: 'hunter2' },
])('a wrong secret is not shown: %j', (env) => {
  expect(message(env)).not.toContain('hunter2');
});

function message(env: Record<string, string>): string {
  try {
    loadConfig(env);
  } catch (error) {
    return String(error);
  }
  throw new Error('it was taken');
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
