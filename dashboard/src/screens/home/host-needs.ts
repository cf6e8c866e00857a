import { useEffect } from 'preact/hooks';
import type { HostState, Website } from '../../api/client/wire.ts';
import { listHosts } from '../../api/websites.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { type HomeNeed, hostNeeds } from '../../state/shown-needs.ts';

const MAX_HOSTS = 100;

/** Names for trials and examples, which visitors never request. */
const isTrial = (hostname: string): boolean =>
  /(^|\.)(localhost|test|local|example|example\.(com|net|org))$/.test(hostname);

type Checked = Pick<HostState, 'hostname' | 'environment' | 'verified'> & { dns: Pick<HostState['dns'], 'state'> };

/** A line for the verified production hosts that are not in DNS; `hasMore`: further hosts were not looked up. */
export function notInDns(websiteId: number, hosts: readonly Checked[], hasMore: boolean): HomeNeed[] {
  const missing = hosts.filter(
    ({ hostname, environment, verified, dns }) =>
      environment === 'production' && verified && dns.state === 'nowhere' && !isTrial(hostname),
  );
  const [first] = missing;
  if (!first) return [];
  return [
    {
      ...{ kind: 'host.not_in_dns', website_id: String(websiteId), environment: 'production', environments: [] },
      ...{ count: missing.length, count_is_at_least: hasMore, count_is_stale: false },
      ...{ hits: null, subject: first.hostname, subject_id: null, since: null },
    },
  ];
}

/** Looks up the hosts of a website when Home is opened. A website with trial hosts only has none to look up. */
export function useHostNeeds({ id, hosts }: Website): void {
  const asked = hosts.filter(({ hostname, environment }) => environment === 'production' && !isTrial(hostname));
  const names = asked.map(({ hostname }) => hostname).join();
  const { data } = useResource(`hosts-in-dns:${id}:${names}`, async (signal) => {
    if (names === '') return [];
    const { hosts: found, next_cursor: next } = await listHosts(id, { limit: MAX_HOSTS }, signal);
    return notInDns(id, found, next !== null);
  });
  useEffect(() => {
    if (data.value) hostNeeds.value = data.value;
  }, [data.value]);
}
