/** AWS ALB (https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html). */
import {
  absent,
  checked,
  endOfQuoted,
  type LogOptions,
  type ReadLine,
  requestOf,
  statusOf,
  unquoted,
  withoutPort,
} from './log-line.ts';
import { createIsoTimes } from './times.ts';

/** Positions of the fields that are not quoted, before the request. */
const [TIME, CLIENT, STATUS, BEFORE_REQUEST] = [1, 3, 8, 12];
/** The request has an absolute URL with a port, from which the Host of the request follows. */
export function createAlbReader({ localTime }: LogOptions): ReadLine {
  const timeOf = createIsoTimes(localTime);
  return (line) => {
    const quote = line.indexOf(' "');
    const end = quote < 0 ? -1 : endOfQuoted(line, quote + 2);
    const agentEnd = end < 0 || !line.startsWith(' "', end + 1) ? -1 : endOfQuoted(line, end + 3);
    const fields = line.slice(0, quote).split(' ');
    const request =
      agentEnd < 0 || fields.length !== BEFORE_REQUEST ? undefined : requestOf(unquoted(line.slice(quote + 2, end)));
    // A request that the balancer could not read is `- http://...:80- `.
    if (!request || request.method === '-') return undefined;
    return checked({
      time: timeOf(fields[TIME] ?? ''),
      host: '',
      ...request,
      status: statusOf(fields[STATUS] ?? ''),
      userAgent: absent(unquoted(line.slice(end + 3, agentEnd))),
      remoteAddr: withoutPort(fields[CLIENT] ?? ''),
      referer: '',
    });
  };
}
