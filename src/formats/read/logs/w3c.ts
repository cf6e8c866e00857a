/** W3C extended logs, whose fields a `#Fields:` line names: IIS and CloudFront. */
import { absent, checked, type LogOptions, type ReadLine, statusOf } from './log-line.ts';
import { createIsoTimes } from './times.ts';

const FIELDS = '#Fields:';

/** The columns of the fields; -1 if a field is absent. */
function columnsOf(header: string) {
  const names = header.slice(FIELDS.length).trim().split(/\s+/);
  const at = (name: string): number => names.indexOf(name);
  return {
    date: at('date'),
    time: at('time'),
    method: at('cs-method'),
    stem: at('cs-uri-stem'),
    query: at('cs-uri-query'),
    status: at('sc-status'),
    agent: at('cs(User-Agent)'),
    referer: at('cs(Referer)'),
    address: at('c-ip'),
    host: Math.max(at('x-host-header'), at('cs-host')),
  };
}

/**
 * CloudFront (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logs-reference.html) separates
 * by tabs, and escapes agents with percents. Its times are UTC, and `x-host-header` is the Host of the viewer. IIS
 * (https://learn.microsoft.com/en-us/windows/win32/http/w3c-logging) separates by spaces, and writes spaces as `+`.
 */
function createW3cReader(options: LogOptions, separator: string, headerText: (text: string) => string): ReadLine {
  let columns = options.header.startsWith(FIELDS) ? columnsOf(options.header) : undefined;
  const timeOf = createIsoTimes(options.localTime);
  return (line) => {
    if (line.startsWith('#')) {
      if (line.startsWith(FIELDS)) columns = columnsOf(line);
      return 'directive';
    }
    if (!columns) return undefined;
    const parts = line.split(separator);
    const field = (column: number): string => absent(parts[column]);
    const query = field(columns.query);
    const stem = field(columns.stem);
    return checked({
      time: timeOf(`${field(columns.date)} ${field(columns.time)}`),
      host: field(columns.host).replace(/:\d+$/, ''),
      method: field(columns.method),
      uri: query === '' ? stem : `${stem}?${query}`,
      status: statusOf(field(columns.status)),
      userAgent: headerText(field(columns.agent)),
      remoteAddr: field(columns.address),
      referer: headerText(field(columns.referer)),
    });
  };
}

export const createIisReader = (options: LogOptions): ReadLine =>
  createW3cReader(options, ' ', (text) => text.replaceAll('+', ' '));

export const createCloudfrontReader = (options: LogOptions): ReadLine =>
  createW3cReader(options, '\t', (text) => unescaped(unescaped(text)));

/** CloudFront escapes some characters twice. Escapes of bytes give one character per byte. */
function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
