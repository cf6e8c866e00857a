import { useSignal } from '@preact/signals';
import { listHosts } from '../../api/websites.ts';
import type { HostState, Website } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { ResourceList } from '../../ui/list/resource-list.tsx';

/** The state of each host: whether it is verified, its DNS and its certificate. Searches all hosts. */
export function HostStates({ website }: { website: Website }) {
  const q = useSignal('');
  const { id, hosts, host_count: count, updated_at } = website;
  const pages = usePages(
    `hosts:${id}:${q.value}:${updated_at}`,
    (cursor, signal) => listHosts(id, { q: q.value || undefined, cursor, limit: 25 }, signal),
    (page) => page.hosts,
  );
  if (count === 0) return null;
  const redirects = new Map(hosts.map((host) => [host.hostname, host.redirect_to?.url]));
  return (
    <ResourceList
      list={pages}
      title="State of the hosts"
      aside={
        count > 5 && (
          <input
            class="input"
            type="search"
            aria-label="Search hosts"
            placeholder={`Search ${number(count)} hosts`}
            onChange={(event) => (q.value = event.currentTarget.value.trim())}
          />
        )
      }
      class="host-states"
      keyOf={({ hostname }) => hostname}
      cells={(host) => <Cells host={host} target={redirects.get(host.hostname)} />}
      empty={<p class="body muted">No host contains “{q.value}”.</p>}
    />
  );
}

const DNS_LABEL = {
  here: ['ok', 'DNS points here'],
  elsewhere: ['warn', 'DNS points elsewhere'],
  nowhere: ['warn', 'Not in DNS'],
  unknown: ['', 'DNS unknown'],
} as const;

function Cells({ host, target }: { host: HostState; target: string | undefined }) {
  const [kind, label] = DNS_LABEL[host.dns.state];
  const problem = host.dns.problem ?? host.certificate?.error;
  return (
    <>
      <span class="break">
        <span class="mono">{host.hostname}</span>
        {target !== undefined && <span class="mono muted"> → {target}</span>}
      </span>
      <span class="row wrap">
        <span class={`badge ${host.verified ? 'ok' : 'warn'}`}>
          {host.verified ? 'Host verified' : 'Host not verified'}
        </span>
        <span class={`badge ${kind}`}>{label}</span>
        {host.certificate && (
          <span class={`badge ${host.certificate.error === null ? 'ok' : 'warn'}`}>
            {host.certificate.error === null ? 'Certificate' : 'No valid certificate'}
          </span>
        )}
      </span>
      {problem !== null && problem !== undefined && <span class="muted small break">{problem}</span>}
    </>
  );
}
