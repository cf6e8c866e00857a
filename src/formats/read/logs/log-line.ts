/** A request of an access log, and its fields as servers write them. */

/** The time zone of times without one. Undefined: the text is not a time. */
export type LocalTime = (text: string) => number | undefined;

/** One request. Texts have one character per byte, as Node.js reads headers; absent ones are empty. */
export interface LogLine {
  /** milliseconds since the epoch */
  time: number;
  /** without a port; empty if the format does not have it */
  host: string;
  method: string;
  /** as in the request line: a path with its query, or an absolute URL */
  uri: string;
  status: number;
  userAgent: string;
  remoteAddr: string;
  referer: string;
}

/** Reads one line. `directive`: it says what the next lines contain. Undefined: it is invalid. */
export type ReadLine = (line: string) => LogLine | 'directive' | undefined;

export interface LogOptions {
  localTime: LocalTime;
  /** the last line with names of fields before the first line; formats without such lines ignore it */
  header: string;
}

/** Servers write `-` for an absent value. */
export const absent = (text: string | undefined): string => (text === undefined || text === '-' ? '' : text);

/** A status of three digits; 0 if the text is not one. */
export const statusOf = (text: string): number => (text.length === 3 ? statusAt(text, 0) : 0);

/** The status at a position. */
export function statusAt(line: string, at: number): number {
  const [hundreds, tens, ones] = [
    line.charCodeAt(at) - ZERO,
    line.charCodeAt(at + 1) - ZERO,
    line.charCodeAt(at + 2) - ZERO,
  ];
  const isStatus = hundreds >= 1 && hundreds <= 5 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9;
  return isStatus ? 100 * hundreds + 10 * tens + ones : 0;
}
const ZERO = 48;

/** Returns the line, or undefined if it has no valid time, status, method or address. */
export function checked(line: Omit<LogLine, 'time'> & { time: number | undefined }): LogLine | undefined {
  const { time, method, uri, status } = line;
  return time === undefined || status === 0 || method === '' || uri === '' ? undefined : (line as LogLine);
}

/** The end of a quoted text that begins at `from`; -1 without one. A quote after a backslash is part of the text. */
export function endOfQuoted(line: string, from: number): number {
  for (let end = line.indexOf('"', from); end >= 0; end = line.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (line.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}
const BACKSLASH = 92;

const CONTROLS: Record<string, string> = { b: '\b', n: '\n', r: '\r', t: '\t', v: '\v', f: '\f' };

/** The text of a quoted field. Apache, nginx and ALB write some bytes as `\xHH`, `\"` or `\n`. */
export function unquoted(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:x([0-9a-f]{2})|(.))/gi, (_, hex: string | undefined, one: string | undefined) =>
    hex === undefined ? (CONTROLS[one ?? ''] ?? one ?? '') : String.fromCharCode(parseInt(hex, 16)),
  );
}

const SPACE = 32;

/** The three parts of a request line; a line without a protocol is HTTP/0.9. Undefined if it is not a request. */
export function requestOf(request: string): { method: string; uri: string } | undefined {
  const first = request.indexOf(' ');
  if (first <= 0) return undefined;
  // Near the end: `lastIndexOf` of a part of a text takes longer.
  let last = request.length - 1;
  while (request.charCodeAt(last) !== SPACE) last--;
  const uri = last > first ? request.slice(first + 1, last) : request.slice(first + 1);
  return uri === '' ? undefined : { method: request.slice(0, first), uri };
}

/** An address without its port: `203.0.113.9:41000`, `[2001:db8::1]:41000`. */
export function withoutPort(text: string): string {
  const colon = text.lastIndexOf(':');
  if (colon < 0) return text;
  if (text.startsWith('[')) return text.slice(1, text.indexOf(']'));
  return text.indexOf(':') === colon ? text.slice(0, colon) : text;
}
