/**
 * Decides which hosts get a TLS certificate, for a proxy that obtains certificates on demand (docs/domains.md). Answers
 * from memory, so that it also works while the database is away.
 */
import type { LiveRegistry } from '../../deployments/live/live-registry.ts';
import type { ProcessState } from '../../http/server/readiness.ts';
import { DomainError } from '../../vocabulary/error.ts';
import { normaliseHostname } from '../../websites/hostname.ts';

export const TLS_ASK_PATH = '/api/tls/ask';

/** Returns why a host gets no certificate; undefined if it gets one. */
export type TlsPermission = (domain: string) => DomainError | undefined;

export interface TlsPermissionOptions {
  registry: Pick<LiveRegistry, 'byHostname'>;
  publicUrl: string;
  state: Pick<ProcessState, 'rulesets'>;
}

/** Allows the host of PUBLIC_URL and every host that a website responds for, names below a wildcard included. */
export function createTlsPermission({ registry, publicUrl, state }: TlsPermissionOptions): TlsPermission {
  const ownHost = new URL(publicUrl).hostname;
  return (domain) => {
    const host = hostOf(domain);
    if (host === ownHost || (host !== undefined && registry.byHostname(host))) return undefined;
    // The database may know more hosts than the snapshots.
    return state.rulesets === 'current' ? unknownHost(domain) : starting();
  };
}

/** The response for a host that gets a certificate. */
export function allowed(domain: string): { message: string } {
  return { message: `${domain} may have a certificate` };
}

/** Stands for every name below a wildcard: a proxy may ask for the wildcard itself. */
const ANY_LABEL = 'detour-check';

/** The host in its stored form; undefined if it is no name. */
const hostOf = (domain: string): string | undefined =>
  normaliseHostname(domain.startsWith('*.') ? `${ANY_LABEL}${domain.slice(1)}` : domain);

const MAX_SHOWN_CHARACTERS = 100;

function unknownHost(domain: string): DomainError {
  const shown = JSON.stringify(domain.slice(0, MAX_SHOWN_CHARACTERS));
  return new DomainError('HOST_NOT_FOUND', 'The host gets no certificate', {
    details: `domain: ${shown} is neither a verified host of a website nor the host of PUBLIC_URL; add it to the hosts of a website, and verify it if it needs a proof`,
  });
}

const STARTING_RETRY_SECONDS = 1;

function starting(): DomainError {
  return new DomainError('DATABASE_UNAVAILABLE', 'The service is starting', {
    details: 'It has not read its hosts from the database yet; retry after the Retry-After delay',
    retryAfter: STARTING_RETRY_SECONDS,
  });
}
