import { DrizzleQueryError } from 'drizzle-orm';

/** PostgreSQL's own word for what went wrong, found also where drizzle wrapped the error. */
function postgresError(error: unknown): { code?: string; constraint?: string } | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && /^[0-9A-Z]{5}$/.test(at.code))
      return at as { code: string };
  }
  return undefined;
}

/** True when the error is the breach of this unique constraint or index. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const found = postgresError(error);
  return found?.code === '23505' && found.constraint === constraint;
}

/** True when a lock was not to be had within lock_timeout, or a deadlock was broken. */
export function isLockTimeout(error: unknown): boolean {
  const code = postgresError(error)?.code;
  return code === '55P03' || code === '40P01';
}

/** True when a value is such that the statement would never succeed with it (classes 22 and 23), however often it is repeated. */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(postgresError(error)?.code ?? '');
}

/** True when rows that are there break a constraint that is being added (a partition's bounds among them). */
export function isCheckViolation(error: unknown): boolean {
  return postgresError(error)?.code === '23514';
}

/** True when the statement names a table that is not there. */
export function isMissingTable(error: unknown): boolean {
  return postgresError(error)?.code === '42P01';
}

/** Of the connection, and of a server that is starting, stopping or restarting (PostgreSQL, appendix A: classes 08 and 57P). */
const CODES =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|08...|57P0[123])$/;
/** What the driver says of a connection that ended, which has no code; the last two when a transaction on it is to be undone. */
const ENDED =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** True for the error of a query, or of connecting for one, that failed because the server could not be reached. */
export function isConnectionError(error: unknown): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  return ENDED.test(cause.message) || ('code' in cause && CODES.test(String(cause.code)));
}
