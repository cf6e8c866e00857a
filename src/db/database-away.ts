import { DrizzleQueryError } from './drizzle.ts';

/** Of the connection, and of a server that is starting, stopping or restarting (PostgreSQL, appendix A: classes 08 and 57P). */
const CODES =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|08...|57P0[123])$/;
/** What the driver says of a connection that ended, which has no code; the last two when a transaction on it is to be undone. */
const ENDED =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** True for the error of a query, or of connecting for one, that failed because the server could not be reached. */
export function isDatabaseAway(error: unknown): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error;
  if (!(cause instanceof Error)) return false;
  return ENDED.test(cause.message) || ('code' in cause && CODES.test(String(cause.code)));
}
