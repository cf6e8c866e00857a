/** Where the hosts of a website answer. */
import type { Website } from './api/wire.ts';
import type { Environment } from '../../src/vocabulary/environment.ts';

/** The names of this machine answer at the port of the service itself. */
export function addressOf(hostname: string, path = '/'): string {
  const isLocal = hostname.endsWith('.localhost');
  return isLocal
    ? `${location.protocol}//${hostname}${location.port && `:${location.port}`}${path}`
    : `https://${hostname}${path}`;
}

/** A path as a visitor would ask for it; undefined where the environment has no host. */
export function liveUrl({ hosts }: Website, environment: Environment, path: string): string | undefined {
  const host = hosts.find((each) => each.environment === environment);
  return host && addressOf(host.hostname, path);
}
