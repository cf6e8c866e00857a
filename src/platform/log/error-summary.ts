const DATABASE = 'check DATABASE_URL and that its PostgreSQL server runs';
const OLD_SCHEMA = 'the database does not have the tables of this version, run: npm run admin -- migrate';
const LOST_STATEMENT = 'a connection pooler loses prepared statements, set DATABASE_PREPARED=off';

/** Fixes by the error code of Node.js or PostgreSQL (appendix A of its manual). */
const REMEDIES: Record<string, string> = {
  'listen EADDRINUSE': 'stop the program that listens there, or set PORT to another port',
  'bind EADDRINUSE': 'stop the program that listens there, or set PORT to another port',
  'bind EACCES': 'set PORT to 1024 or higher, or allow the process to listen on lower ports',
  'bind EADDRNOTAVAIL': 'set HOST to an address of this machine',
  'listen EACCES': 'set PORT to 1024 or higher, or allow the process to listen on lower ports',
  'listen EADDRNOTAVAIL': 'set HOST to an address of this machine',
  'getaddrinfo ENOTFOUND': 'check the host names in HOST and DATABASE_URL',
  'connect ECONNREFUSED': DATABASE,
  'connect ETIMEDOUT': DATABASE,
  '28P01': 'check the user and password in DATABASE_URL',
  '28000': 'check the user and password in DATABASE_URL',
  '3D000': 'create the database, or name another in DATABASE_URL',
  '26000': LOST_STATEMENT,
  '42P05': LOST_STATEMENT,
  '42P01': OLD_SCHEMA,
  '42703': OLD_SCHEMA,
};

/** Summarizes an error for an operator in one line: its message, and the fix if there is a known one. */
export function errorSummary(error: unknown): string {
  const cause = rootOf(error);
  const text = messageOf(cause);
  const remedy = remedyOf(cause);
  return (remedy ? `${text}: ${remedy}` : text).replace(/\s*\n\s*/g, '; ');
}

/** The root cause: a failed query's own message is the query, and that of several tried addresses is empty. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error && error.message.startsWith('Failed query'))
    return rootOf(error.cause);
  return error;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = 'details' in error && typeof error.details === 'string' ? error.details : '';
  return details && details !== error.message ? `${error.message} (${details})` : error.message;
}

function remedyOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const call = 'syscall' in error ? `${String(error.syscall)} ` : '';
  return REMEDIES[`${call}${String(error.code)}`];
}

/** True for an error of the system with this code, such as ENOENT. */
export function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
