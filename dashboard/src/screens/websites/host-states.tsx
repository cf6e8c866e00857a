import { useSignal } from '@preact/signals';
import { listHosts } from '../../api/websites.ts';
import type { HostState, Website } from '../../api/wire.ts';
import { usePages } from '../../state/use-pages.ts';
import { LoadMore } from '../../ui/load-more.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';

/** The state of each host: whether it is verified, its DNS and its certificate. Searches all hosts. */
export function HostStates({ website }: { website: Website }) {
  const q = useSignal('');
  const { id, hosts, host_count: count, updated_at } = website;
  const pages = usePages(`hosts:${id}:${q.value}:${updated_at}`, async (cursor, signal) => {
    const page = await listHosts(id, { q: q.value || undefined, cursor, limit: 25 }, signal);
    return { rows: page.hosts, next: page.next_cursor };
  });
  if (count === 0) return null;
  const rows = pages.rows.value;
  const redirects = new Map(hosts.map((host) => [host.hostname, host.redirect_to?.url]));
  return (
    <section class="card host-states" aria-labelledby="host-states">
      <header>
        <h2 id="host-states">State of the hosts</h2>
        {count > 5 && (
          <input
            class="input"
            type="search"
            aria-label="Search hosts"
            placeholder={`Search ${count.toLocaleString('en')} hosts`}
            onChange={(event) => (q.value = event.currentTarget.value.trim())}
          />
        )}
      </header>
      {pages.error.value && <Problem error={pages.error.value} onRetry={pages.reload} />}
      {!rows && !pages.error.value && <Skeleton lines={3} height={22} />}
      {rows?.length === 0 && <p class="body muted">No host contains “{q.value}”.</p>}
      <ul>
        {rows?.map((host) => (
          <HostRow key={host.hostname} host={host} target={redirects.get(host.hostname)} />
        ))}
      </ul>
      <LoadMore pages={pages} />
    </section>
  );
}

const DNS_LABEL = {
  here: ['ok', 'DNS points here'],
  elsewhere: ['warn', 'DNS points elsewhere'],
  nowhere: ['warn', 'Not in DNS'],
  unknown: ['', 'DNS unknown'],
} as const;

function HostRow({ host, target }: { host: HostState; target: string | undefined }) {
  const [kind, label] = DNS_LABEL[host.dns.state];
  const problem = host.dns.problem ?? host.certificate?.error;
  return (
    <li>
      <span class="break">
        <span class="mono">{host.hostname}</span>
        {target !== undefined && <span class="mono muted"> → {target}</span>}
      </span>
      <span class="badges">
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
    </li>
  );
}
