import { hostname } from 'node:os';
import { type DestinationStream, destination, type Logger, pino } from 'pino';

export type Log = Logger;

/** Fields with credentials. Redacted up to three levels deep. */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  '["set-cookie"]',
  '["x-api-key"]',
  'password',
  'current_password',
  'new_password',
  'secret',
];

const STDERR = 2;

/**
 * Creates the service's log: one JSON object per line on stderr, warnings and errors, and the audit log (`audit: true`).
 * Redacts credentials. `fields` are part of every line.
 */
export function createLog(
  fields: Record<string, unknown> = {},
  stream: DestinationStream = destination({ dest: STDERR, sync: true }),
): Log {
  return pino(
    {
      base: { pid: process.pid, hostname: hostname(), ...fields },
      name: 'detour',
      level: 'warn',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: { paths: SECRET_FIELDS.flatMap(atEveryLevel), censor: '[redacted]' },
    },
    stream,
  );
}

interface ParentLog<Child> {
  level: string;
  child(fields: object, options: { level: string }): Child;
}

/** The log of audit events: lines with `audit: true` at level info, unless the log is silent. */
export function auditLogOf<Child>(log: ParentLog<Child>): Child {
  return log.child({ audit: true }, { level: log.level === 'silent' ? 'silent' : 'info' });
}

function atEveryLevel(field: string): string[] {
  const below = field.startsWith('[') ? field : `.${field}`;
  return [field, `*${below}`, `*.*${below}`, `*.*.*${below}`];
}

/**
 * The useful fields of an error. Others are omitted: errors of pg contain the whole connection, and `detail` has values
 * of the row. A failed query's message has its parameters, such as an email address; only its statement is logged.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name: type, stack, cause } = error;
  const message = withoutParameters(error.message);
  const code = 'code' in error ? error.code : undefined;
  const constraint = 'constraint' in error ? error.constraint : undefined;
  const frames = stack?.slice(Math.max(0, stack.search(/^ {4}at /m)));
  return { type, message, code, constraint, stack: frames, cause: cause && describeError(cause) };
}

/** The message of a DrizzleQueryError is `Failed query: <statement>\nparams: <values>`. */
function withoutParameters(message: string): string {
  return message.startsWith('Failed query: ') ? (message.split('\nparams: ', 1)[0] ?? '') : message;
}
