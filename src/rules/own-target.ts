/** Targets on a website's own hosts: they are stored as paths, so that they hold on every host of the website. */
import { domainToASCII } from 'node:url';
import type { TargetHosts } from './check-redirect.ts';

const ADDRESS = /^https?:\/\/([^/?#]+)(.*)$/i;

/** The host of an absolute target in the form of a website's hosts; undefined for a path. */
function hostOf(newPath: string): string | undefined {
  const [, authority] = ADDRESS.exec(newPath) ?? [];
  return authority === undefined ? undefined : domainToASCII(authority.replace(/:\d*$/, '').replace(/\.$/, ''));
}

/** True if the target names a host that is not in allowed_target_hosts: it is invalid unless the host is an own one. */
export function needsOwnHost(newPath: string | null | undefined, allowedTargetHosts: readonly string[]): boolean {
  const host = newPath == null || newPath.startsWith('/') ? undefined : hostOf(newPath);
  return host !== undefined && !allowedTargetHosts.includes(host);
}

/**
 * Returns the path of a target on an own host that is not in allowed_target_hosts, and any other target as it is. A
 * target that only changes the host of the source stays: as a path it would be the source itself.
 */
export function withoutOwnHost(
  newPath: string,
  oldPath: string,
  { allowedTargetHosts, servesRules }: TargetHosts<readonly string[]>,
): string {
  if (!needsOwnHost(newPath, allowedTargetHosts) || !servesRules(hostOf(newPath) ?? '')) return newPath;
  const [, , rest = ''] = ADDRESS.exec(newPath) ?? [];
  const path = rest.startsWith('/') ? rest : `/${rest}`;
  return path === oldPath ? newPath : path;
}
