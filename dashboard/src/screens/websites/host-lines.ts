/** Hosts as text, one a line: `host`, `host staging`, or `host -> https://target 302 no-path` for a domain redirect. */
import { ENVIRONMENTS, isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { DOMAIN_REDIRECT_STATUSES } from '../../../../src/vocabulary/status-code.ts';
import type { Website } from '../../api/client/wire.ts';

/** The hosts as a user edits them. */
export interface EditedHost extends Pick<Website['hosts'][number], 'hostname' | 'environment'> {
  redirect_to?: { url: string; status_code?: number; keep_path?: boolean } | null;
}
export type Hosts = EditedHost[];

export interface LineError {
  /** from 1 */
  line: number;
  message: string;
}

export interface ReadHosts {
  hosts: Hosts;
  /** the line of each host, from 1 */
  lines: number[];
  errors: LineError[];
}

const NO_PATH = 'no-path';
const DEFAULT_STATUS = 301;

/** Reads pasted text. Empty lines and lines that begin with # are ignored. A URL counts as its host. */
export function readHosts(text: string): ReadHosts {
  const read: ReadHosts = { hosts: [], lines: [], errors: [] };
  const seen = new Map<string, number>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = index + 1;
    const content = raw.trim();
    if (content === '' || content.startsWith('#')) continue;
    const host = readLine(content);
    if (typeof host === 'string') {
      read.errors.push({ line, message: host });
      continue;
    }
    const name = host.hostname.toLowerCase();
    const first = seen.get(name);
    if (first !== undefined) read.errors.push({ line, message: `${host.hostname} is on line ${first} already` });
    seen.set(name, first ?? line);
    read.hosts.push(host);
    read.lines.push(line);
  }
  return read;
}

/** Returns the host, or what is wrong with the line. */
function readLine(content: string): EditedHost | string {
  const [left = '', right, ...more] = content.split(/\s*(?:->|→|=>)\s*/);
  if (more.length > 0) return 'write one -> only';
  const [name = '', environment = 'production', ...rest] = left.split(/[\s,;]+/).filter((word) => word !== '');
  const hostname = hostIn(name);
  if (hostname === '') return 'write the host first, such as www.example.com';
  if (!isEnvironment(environment) || rest.length > 0)
    return `${[environment, ...rest].join(' ')} is not an environment; write ${ENVIRONMENTS.join(', ')}, or nothing`;
  if (right === undefined) return { hostname, environment };
  const redirect_to = readTarget(right);
  return typeof redirect_to === 'string' ? redirect_to : { hostname, environment, redirect_to };
}

function readTarget(text: string): NonNullable<EditedHost['redirect_to']> | string {
  const [url = '', ...words] = text.split(/\s+/).filter((word) => word !== '');
  if (!/^https?:\/\/[^/]/i.test(url)) return 'after -> write a URL, such as https://www.example.com';
  const target = { url, status_code: DEFAULT_STATUS, keep_path: true };
  for (const word of words) {
    if (word === NO_PATH) target.keep_path = false;
    else if (DOMAIN_REDIRECT_STATUSES.includes(Number(word))) target.status_code = Number(word);
    else return `${word} is not known after the URL; write ${DOMAIN_REDIRECT_STATUSES.join(', ')} or ${NO_PATH}`;
  }
  return target;
}

/** Writes hosts so that readHosts returns them again. */
export const writeHosts = (hosts: Hosts): string => hosts.map(writeHost).join('\n');

function writeHost({ hostname, environment, redirect_to: to }: EditedHost): string {
  const words = [hostname];
  if (environment !== 'production') words.push(environment);
  if (to) words.push('->', to.url);
  if (to?.status_code !== undefined && to.status_code !== DEFAULT_STATUS) words.push(String(to.status_code));
  if (to?.keep_path === false) words.push(NO_PATH);
  return words.join(' ');
}

/** The host of a pasted URL, without scheme, port and path. */
export const hostIn = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '');
