/**
 * DATABASE_URL with one host, or with several as libpq writes them:
 * `postgres://user@a:5432,b:5433/db?target_session_attrs=read-write`.
 */

/** How a process reaches its database: DATABASE_URL alone, or with what a pooler (PgBouncer) needs. */
export type DatabaseUrl = string | PooledUrl;

export interface PooledUrl {
  /** DATABASE_URL */
  url: string;
  /** of PostgreSQL without the pooler, for what needs a session; null: `url` is used for everything */
  directUrl: string | null;
  /** false: statements on `url` are not prepared, because its pooler loses them */
  isPrepared: boolean;
}

/** Returns all parts of the URL. */
export const pooledUrlOf = (url: DatabaseUrl): PooledUrl =>
  typeof url === 'string' ? { url, directUrl: null, isPrepared: true } : url;

/** Returns the URL for what needs a session. */
export const sessionUrlOf = (url: DatabaseUrl): string => (typeof url === 'string' ? url : (url.directUrl ?? url.url));

export interface DatabaseHost {
  host: string;
  port: number;
}

export interface DatabaseTarget {
  /** of the first host, for the driver, which knows neither several hosts nor target_session_attrs */
  connectionString: string;
  hosts: DatabaseHost[];
  /** the servers that its connections use; by default any of one host, and of several the one that accepts writes */
  role: 'primary' | 'standby' | 'any';
}

const DEFAULT_PORT = 5_432;
const EXAMPLE = 'postgres://user:password@host:5432/database';
const SEVERAL = 'postgres://user:password@host1:5432,host2:5432/database';

/** by target_session_attrs of libpq */
const ROLES: Record<string, DatabaseTarget['role']> = {
  'read-write': 'primary',
  primary: 'primary',
  standby: 'standby',
  any: 'any',
};

/** Parses the URL. Returns what is wrong with it and how to correct it, if it is invalid. */
export function parseDatabaseUrl(url: string): DatabaseTarget | string {
  const [, before = '', list = '', after = ''] = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/s.exec(url) ?? [];
  const names = list.split(',');
  const urls = names.map((name) => URL.parse(before + name + after));
  const query = urls[0]?.searchParams;
  const hosts = urls.flatMap((one) => {
    const host = one?.hostname.replace(/^\[|\]$/g, '') || query?.get('host');
    return one && host ? { host, port: Number(one.port || query?.get('port') || DEFAULT_PORT) } : [];
  });
  if (hosts.length < names.length) return `must be an address such as ${EXAMPLE}, or with a standby ${SEVERAL}`;
  const wanted = query?.get('target_session_attrs') ?? (hosts.length > 1 ? 'read-write' : 'any');
  const role = ROLES[wanted];
  if (!role) return `has target_session_attrs=${wanted}: set it to read-write, primary, standby or any`;
  const rest = after.replace(/([?&])target_session_attrs=[^&]*(?:&|$)/, '$1').replace(/[?&]$/, '');
  return { connectionString: `${before}${names[0]}${rest}`, hosts, role };
}
