/** Targets on a website's own hosts: they are stored as paths, so that they hold on every host of the website. */
import { domainToASCII } from 'node:url';
import type { TargetHosts } from './check-redirect.ts';

const ADDRESS = /^https?:\/\/([^/?#\\]*)([^]*)$/i;

/** The last host and its name, because most rows of a file have the same host. */
let latest = { written: '', name: '' };

/** A host, as a person may write it (any case, port, final dot, non-ASCII), in the form of a website's hosts. */
export function hostName(written: string): string {
  if (latest.written !== written)
    latest = { written, name: domainToASCII(written.replace(/:\d*$/, '').replace(/\.$/, '')) };
  return latest.name;
}

/** Splits an http or https address; undefined for any other text. `path` begins with a slash. */
export function addressParts(text: string): { host: string; path: string } | undefined {
  const [, written, rest = ''] = ADDRESS.exec(text) ?? [];
  if (written === undefined) return undefined;
  return { host: hostName(written), path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** True if the target names a host that is not in allowed_target_hosts: it is invalid unless the host is an own one. */
export function needsOwnHost(newPath: string | null | undefined, allowedTargetHosts: readonly string[]): boolean {
  const address = newPath == null || newPath.startsWith('/') ? undefined : addressParts(newPath);
  return address !== undefined && !allowedTargetHosts.includes(address.host);
}

/**
 * Returns the path of a target on an own host that is not in allowed_target_hosts, and any other target as it is. A
 * target that may only change the host of the source stays: as a path it would be the source itself.
 */
export function withoutOwnHost(
  newPath: string,
  oldPath: string,
  { allowedTargetHosts, servesRules }: TargetHosts<readonly string[]>,
): string {
  const address = addressParts(newPath);
  if (!address || allowedTargetHosts.includes(address.host) || !servesRules(address.host)) return newPath;
  return mayBeSource(address.path, oldPath) ? newPath : address.path;
}

/** The text that everything begins with that a pattern matches, or a whole path. */
const FIXED_START = /^\^?((?:[^\\^$.|?*+()[\]{}]|\\\W)*)/;

/** True if the path of a target is the source. With a captured text: if it may be a path that the pattern matches. */
export function mayBeSource(path: string, source: string): boolean {
  const [text = '', start = ''] = FIXED_START.exec(source) ?? [];
  const [fixed = ''] = path.split('$', 1);
  if (text === source || fixed === path) return path === source;
  return start.replaceAll('\\', '').startsWith(fixed);
}
