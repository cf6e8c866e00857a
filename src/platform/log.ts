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

function atEveryLevel(field: string): string[] {
  const below = field.startsWith('[') ? field : `.${field}`;
  return [field, `*${below}`, `*.*${below}`, `*.*.*${below}`];
}

/** The useful fields of an error. Errors of pg also contain the whole connection. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name: type, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  const detail = 'detail' in error ? error.detail : undefined;
  return { type, message, code, detail, stack, cause: cause && describeError(cause) };
}
