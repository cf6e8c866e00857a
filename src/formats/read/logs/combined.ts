/** The common and the combined log format of Apache and nginx, also with `host:port` before (Apache's vhost_combined). */
import {
  absent,
  endOfQuoted,
  type LogLine,
  type ReadLine,
  requestOf,
  statusAt,
  unquoted,
  withoutPort,
} from './log-line.ts';
import { CLF_LENGTH, createClfTimes } from './times.ts';

const VIRTUAL_HOST = /^[a-z0-9*_.-]+:\d{1,5}$/i;

/** `common` lines end after the size; further fields of either format are ignored. */
export function createCombinedReader({ isCommon }: { isCommon: boolean }): ReadLine {
  const timeOf = createClfTimes();
  return (line) => {
    // A user name may have spaces and brackets; the request is the first quoted text.
    const quote = line.indexOf('] "');
    const bracket = quote - CLF_LENGTH - 2;
    if (bracket <= 0 || !line.startsWith(' [', bracket)) return undefined;
    const time = timeOf(line, bracket + 2);
    const end = endOfQuoted(line, quote + 3);
    if (time === undefined || end < 0) return undefined;
    const request = requestOf(unquoted(line.slice(quote + 3, end)));
    const status = statusAt(line, end + 2);
    if (!request || status === 0) return undefined;
    const first = line.slice(0, line.indexOf(' '));
    const isVirtual = first.includes(':') && VIRTUAL_HOST.test(first) && line.indexOf(' ', first.length + 1) < bracket;
    const second = first.length + 1;
    const found: LogLine = {
      time,
      host: isVirtual ? withoutPort(first) : '',
      method: request.method,
      uri: request.uri,
      status,
      userAgent: '',
      remoteAddr: isVirtual ? line.slice(second, line.indexOf(' ', second)) : first,
      referer: '',
    };
    return isCommon ? found : withAgent(found, line, end + 5);
  };
}

/** Adds the two quoted texts after the size. */
function withAgent(found: LogLine, line: string, from: number): LogLine | undefined {
  const start = line.indexOf(' "', from);
  const end = start < 0 ? -1 : endOfQuoted(line, start + 2);
  const last = end < 0 || !line.startsWith(' "', end + 1) ? -1 : endOfQuoted(line, end + 3);
  if (last < 0) return undefined;
  found.referer = absent(unquoted(line.slice(start + 2, end)));
  found.userAgent = absent(unquoted(line.slice(end + 3, last)));
  return found;
}
