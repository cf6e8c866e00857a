/** The formats of access logs, and how a log is recognized by its first lines. */
import { createAlbReader } from './alb.ts';
import { createCombinedReader } from './combined.ts';
import { createCaddyReader, createFastlyReader, createJsonReader, jsonOf, withoutSyslog } from './json-line.ts';
import type { LogOptions, ReadLine } from './log-line.ts';
import { createCloudfrontReader, createIisReader } from './w3c.ts';

export const LOG_FORMATS = ['combined', 'common', 'caddy', 'json', 'cloudfront', 'alb', 'fastly', 'iis'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

const READERS: Record<LogFormat, (options: LogOptions) => ReadLine> = {
  combined: () => createCombinedReader({ isCommon: false }),
  common: () => createCombinedReader({ isCommon: true }),
  caddy: createCaddyReader,
  json: createJsonReader,
  cloudfront: createCloudfrontReader,
  alb: createAlbReader,
  fastly: createFastlyReader,
  iis: createIisReader,
};

/** Returns the reader of a format for the lines of one log, in order. */
export const createLogReader = (format: LogFormat, options: LogOptions): ReadLine => READERS[format](options);

const ALB_START = /^(?:https?|h2|grpcs|wss?) \d{4}-\d\d-\d\dT/;
const FIELDS_START = /^#Fields:/;

/** Returns the format of these lines; undefined if no line is known. Lines that are damaged are passed over. */
export function recognizeLog(lines: readonly string[]): LogFormat | undefined {
  for (const line of lines) {
    const found = formatOf(line);
    if (found) return found;
  }
  return undefined;
}

function formatOf(line: string): LogFormat | undefined {
  if (FIELDS_START.test(line)) return line.includes('x-edge-') ? 'cloudfront' : 'iis';
  const fields = jsonOf(withoutSyslog(line));
  if (fields) {
    if ('request' in fields) return 'caddy';
    return 'response_status' in fields ? 'fastly' : 'time' in fields && 'uri' in fields ? 'json' : undefined;
  }
  if (ALB_START.test(line)) return 'alb';
  if (createCombinedReader({ isCommon: false })(line)) return 'combined';
  return createCombinedReader({ isCommon: true })(line) ? 'common' : undefined;
}
