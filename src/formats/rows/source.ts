import type { Issue } from '../../vocabulary/error.ts';
import { addressParts, hostName, mayBeSource } from '../../rules/own-target.ts';
import { alternativesOf } from '../../rules/demands-query.ts';
import { issue, show, type Target } from './cells.ts';
import type { CsvOptions } from '../read/csv/layout.ts';

/** A source as a path, and how it was changed to become one. */
export interface Source {
  path: string;
  hostRemoved: boolean;
  slashAdded: boolean;
}

type SourceOptions = Pick<CsvOptions, 'addSlash' | 'ownHosts'>;

export const asWritten = (path: string): Source => ({ path, hostRemoved: false, slashAdded: false });

const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]*)([^]*)$/i;
const HOST_FIRST = /^([^/?#\\]+)([^]*)$/;

/**
 * Reads a literal source. A URL on one of the website's own hosts becomes its path, also without a scheme. `hostFirst`:
 * the file writes `host/path`, so a source that begins with a dotted name begins with a host.
 */
export function readSource(cell: string, options: SourceOptions, hostFirst: boolean): Source | Issue {
  if (cell === '') return invalidSource('old_path is empty; write the path to redirect from');
  const address = ADDRESS.exec(cell);
  if (address) {
    const [, scheme = '', host = '', rest = ''] = address;
    if (!/^https?$/i.test(scheme)) return invalidSource(`old_path is ${show(cell)}; write a path that begins with /`);
    return onOwnHost(cell, host, rest, options);
  }
  if (cell.startsWith('/')) return asWritten(cell);
  const [, first = '', rest = ''] = HOST_FIRST.exec(cell) ?? [];
  if (isOwnHost(first, options.ownHosts) || (hostFirst && /[.:]/.test(first)))
    return onOwnHost(cell, first, rest, options);
  if (options.addSlash) return { path: `/${cell}`, hostRemoved: false, slashAdded: true };
  return noSlash(cell);
}

/** Reads the text of a pattern, which must begin with `/` or `^/`. */
export function readPatternSource(cell: string, options: Pick<CsvOptions, 'addSlash'>): Source | Issue {
  if (cell === '') return invalidSource('old_path is empty; write the pattern');
  if (/^\^?\//.test(cell)) return asWritten(cell);
  if (!options.addSlash) return noSlash(cell);
  const anchored = cell.startsWith('^');
  const body = anchored ? cell.slice(1) : cell;
  // With a slash in front, `a|b` would match `/a` or `b`.
  const grouped = alternativesOf(body).length > 1 ? `(?:${body})` : body;
  return { path: `${anchored ? '^' : ''}/${grouped}`, hostRemoved: false, slashAdded: true };
}

/**
 * Reads a target. A URL on one of the website's own hosts becomes its path, unless it may only change the host of the
 * source: then it stays. `addSlash`: the tool writes paths without their leading slash.
 */
export function readTarget(
  cell: Target,
  source: string,
  { ownHosts, ruleHosts = ownHosts }: Pick<CsvOptions, 'ownHosts' | 'ruleHosts'>,
  addSlash: boolean,
): Target {
  if (typeof cell !== 'string') return cell;
  if (!ADDRESS.test(cell)) return addSlash && !cell.startsWith('/') ? `/${cell}` : cell;
  const address = addressParts(cell);
  if (!address || !ruleHosts.has(address.host)) return cell;
  const { path } = address;
  const sourcePath = ADDRESS.exec(source)?.[3] ?? source;
  return mayBeSource(path, /^[/^]/.test(sourcePath) ? sourcePath : `/${sourcePath}`) ? cell : path;
}

/** A target with pairs that its source requires: they are not passed on. */
export function appendPairs(target: string, pairs: readonly string[]): string {
  if (pairs.length === 0) return target;
  const [base = '', fragment] = target.split('#');
  const joined = `${base}${base.includes('?') ? '&' : '?'}${pairs.join('&')}`;
  return fragment === undefined ? joined : `${joined}#${fragment}`;
}

/** True if the host, as a file may write it (any case, port, final dot, non-ASCII), is one of the website's. */
export function isOwnHost(host: string, ownHosts: CsvOptions['ownHosts']): boolean {
  return ownHosts.has(host) || ownHosts.has(hostName(host));
}

export function hostMismatch(host: string): Issue {
  const remedy = 'add the host to the website or leave it out of the source';
  return issue('old_path', 'SOURCE_HOST_MISMATCH', `${show(host)} is not a host of this website; ${remedy}`);
}

function onOwnHost(cell: string, host: string, rest: string, options: SourceOptions): Source | Issue {
  if (!isOwnHost(host, options.ownHosts)) return hostMismatch(host === '' ? cell : host);
  return { path: rest.startsWith('/') ? rest : `/${rest}`, hostRemoved: true, slashAdded: false };
}

const invalidSource = (message: string): Issue => issue('old_path', 'INVALID_OLD_PATH', message);

const noSlash = (cell: string): Issue =>
  invalidSource(`old_path is ${show(cell)}; begin it with / or import with add_slash=true`);
