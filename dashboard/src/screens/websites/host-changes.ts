/** Changes of a host between two checks, in words. */
import type { HostState } from '../../api/client/wire.ts';
import { isLocalHost } from '../../dns-record.ts';

/** Checks of hosts that are not connected, while the user sees them. */
export const RECHECK_MS = 10_000;

type Checked = Pick<HostState, 'hostname' | 'verified' | 'dns' | 'certificate'>;

/** True if visitors of the host reach this service. */
export const isConnected = ({ hostname, verified, dns }: Omit<Checked, 'certificate'>): boolean =>
  verified && (dns.state === 'here' || isLocalHost(hostname));

const NOW: Record<HostState['dns']['state'], string | undefined> = {
  here: 'points here now',
  elsewhere: 'points to another server now',
  nowhere: 'is no longer in DNS',
  // The name servers did not answer: nothing is known to have changed.
  unknown: undefined,
};

/** Such as `www.example.com points here now`; undefined if nothing changed. */
export function hostChange(before: Checked | undefined, now: Checked): string | undefined {
  if (!before) return undefined;
  const parts = [
    !before.verified && now.verified ? 'is verified' : undefined,
    before.dns.state === now.dns.state ? undefined : NOW[now.dns.state],
    before.certificate?.error && now.certificate && !now.certificate.error ? 'has a valid certificate now' : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : `${now.hostname} ${parts.join(', and ')}`;
}
