/** Lines that are JSON objects: Caddy, Fastly, and named fields. */
import { checked, type LogOptions, type ReadLine, statusOf, withoutPort } from './log-line.ts';
import { createIsoTimes, jsonTime } from './times.ts';

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object of a line; undefined if it is not one. */
export function jsonOf(line: string): Fields | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line.includes('\\u') ? line.replace(ESCAPES, bytesOf) : line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Escapes of characters beyond ASCII. */
const ESCAPES = /(?:\\u(?:00[89a-f][0-9a-f]|0[1-9a-f][0-9a-f]{2}|[1-9a-f][0-9a-f]{3}))+/gi;

const bytesOf = (escapes: string): string => Buffer.from(JSON.parse(`"${escapes}"`) as string).toString('latin1');

/** A field as text. */
function text(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '-' ? value : '';
}

/** `time, host, method, uri, status, user_agent, remote_addr, referer`. */
export function createJsonReader({ localTime }: LogOptions): ReadLine {
  const isoTime = createIsoTimes(localTime);
  return (line) => {
    const fields = jsonOf(line);
    return (
      fields &&
      checked({
        time: jsonTime(fields.time, isoTime),
        host: text(fields.host),
        method: text(fields.method),
        uri: text(fields.uri),
        status: statusOf(text(fields.status)),
        userAgent: text(fields.user_agent),
        remoteAddr: withoutPort(text(fields.remote_addr)),
        referer: text(fields.referer),
      })
    );
  };
}

/** Access logs of Caddy 2 (https://caddyserver.com/docs/caddyfile/directives/log). */
export function createCaddyReader({ localTime }: LogOptions): ReadLine {
  const isoTime = createIsoTimes(localTime);
  return (line) => {
    const fields = jsonOf(line);
    if (!fields || !isObject(fields.request)) return undefined;
    const { host, method, uri, client_ip: client, remote_ip: remote, headers } = fields.request;
    const header = (name: string): unknown => {
      const values = isObject(headers) ? headers[name] : undefined;
      return Array.isArray(values) ? values[0] : values;
    };
    return checked({
      // Caddy writes its other formats of times with slashes.
      time: jsonTime(typeof fields.ts === 'string' ? fields.ts.replaceAll('/', '-') : fields.ts, isoTime),
      host: text(host),
      method: text(method),
      uri: text(uri),
      status: statusOf(text(fields.status)),
      userAgent: text(header('User-Agent')),
      remoteAddr: withoutPort(text(client ?? remote)),
      referer: text(header('Referer')),
    });
  };
}

/** The default JSON of Fastly (https://docs.fastly.com/en/guides/custom-log-formats), also after a syslog prefix. */
export function createFastlyReader({ localTime }: LogOptions): ReadLine {
  const isoTime = createIsoTimes(localTime);
  return (line) => {
    const fields = jsonOf(withoutSyslog(line));
    return (
      fields &&
      checked({
        time: jsonTime(fields.timestamp, isoTime),
        host: text(fields.host),
        method: text(fields.request_method),
        uri: text(fields.url),
        status: statusOf(text(fields.response_status)),
        userAgent: text(fields.request_user_agent),
        remoteAddr: text(fields.client_ip),
        referer: text(fields.request_referer),
      })
    );
  };
}

/** `<134>2030-01-31T12:00:00Z cache-fra19120 logs[52]: {...}` */
export const withoutSyslog = (line: string): string => (line.startsWith('<') ? line.slice(line.indexOf('{')) : line);
