/** The PostgreSQL error, also if drizzle has wrapped it. */
function postgresError(error: unknown): { code?: string; constraint?: string } | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && /^[0-9A-Z]{5}$/.test(at.code)) return at as { code: string };
  }
  return undefined;
}

/** True if the error is a violation of this unique constraint or index. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const found = postgresError(error);
  return found?.code === '23505' && found.constraint === constraint;
}

const hasCode = (codes: RegExp) => (error: unknown) => codes.test(postgresError(error)?.code ?? '');

/** True if a lock was not available within lock_timeout, or a deadlock was resolved. */
export const isLockTimeout = hasCode(/^(?:55P03|40P01)$/);

/** True for a value with which the statement can never succeed, so a retry is useless (classes 22 and 23). */
export const isDataError = hasCode(/^2[23]/);

/** True if existing rows violate a new constraint, such as the bounds of a partition. */
export const isCheckViolation = hasCode(/^23514$/);

export const isMissingTable = hasCode(/^42P01$/);

/** True if the server is a standby. */
export const isReadOnlyError = hasCode(/^25006$/);

/** True if a prepared statement exists already, or does not exist: a pooler has changed the session. */
export const isLostStatement = hasCode(/^(?:42P05|26000)$/);

/**
 * Codes of a failed connection, of a server that starts, stops or restarts, and of one that has no connection left
 * (PostgreSQL, appendix A: classes 08 and 57P, 25P03, 53300).
 */
const CONNECTION_CODES =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08...|57P0[1235]|25P03|53300)$/;
/** A full disk or memory, a standby after a failover, and a statement that was cancelled or took too long. */
const isUnavailable = hasCode(/^(?:53[12]00|25006|57014)$/);
/** Messages of the driver for a closed connection, which has no code. The last two come from a rollback on it. */
const ENDED =
  /^(?:Connection terminated|timeout (?:exceeded when trying to connect|expired)|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** True if a query failed because the server cannot be reached, or has no connection left. */
export function isConnectionError(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (ENDED.test(at.message) || ('code' in at && CONNECTION_CODES.test(String(at.code)))) return true;
  }
  return false;
}

/** True if a query failed because the server cannot be reached or cannot work now. It may succeed later. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return isConnectionError(error) || isUnavailable(error);
}
