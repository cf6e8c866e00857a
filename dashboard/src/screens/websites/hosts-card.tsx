import './hosts.css';
import { useSignal } from '@preact/signals';
import { changeHosts, listHosts } from '../../api/websites.ts';
import type { HostState, Website } from '../../api/client/wire.ts';
import { networkErrorText } from '../../checks/network-error.ts';
import { isLocalHost } from '../../dns-record.ts';
import { ago, capitalized, dayOf, number } from '../../format.ts';
import { closeQuery, query, setQuery } from '../../router.ts';
import { mayEdit } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { type Pages, usePages } from '../../state/resource/use-pages.ts';
import { upsertWebsite } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Menu } from '../../ui/menu.tsx';
import { EnvironmentBadge } from '../../ui/text/environment.tsx';
import { hostChange, isConnected, RECHECK_MS } from './host-changes.ts';
import { HostDialog, PasteHosts } from './host-dialog.tsx';
import { HostRecord } from './host-record.tsx';

/** Reads the hosts, and again while one of them is not connected; says what changed. */
function useHosts({ id, updated_at: updatedAt }: Website, q: string) {
  const isDone = useSignal(false);
  const pages: Pages<HostState> = usePages(
    `hosts:${id}:${q}:${updatedAt}`,
    (cursor, signal) => listHosts(id, { q: q || undefined, cursor, limit: 25 }, signal),
    ({ hosts }) => {
      isDone.value = hosts.every(isConnected);
      reportChanges(pages.data.peek() ?? [], hosts);
      return hosts;
    },
    // The dialog of a host checks it itself.
    { everyMs: isDone.value || query.value.has('host') ? undefined : RECHECK_MS },
  );
  return pages;
}

/** The hosts of a website: environment, who serves each, its certificate and last request, and a dialog for each. Searches all hosts. */
export function HostsCard({ website }: { website: Website }) {
  const q = useSignal('');
  const { id, host_count: count } = website;
  const pages = useHosts(website, q.value);
  /** a dialog that changes something */
  const opened = (name: string) => (mayEdit.value ? query.value.get(name) : null);
  const named = (name: string) => pages.data.value?.find(({ hostname }) => hostname === opened(name));
  const [edited, removed] = [named('edit'), named('remove')];
  const record = query.value.get('host');
  return (
    <>
      <ResourceList
        list={pages}
        title="Hosts"
        aside={
          <div class="row wrap">
            {count > 5 && (
              <input
                class="input"
                type="search"
                aria-label="Search hosts"
                placeholder={`Search ${number(count)} hosts`}
                onChange={(event) => (q.value = event.currentTarget.value.trim())}
              />
            )}
            {mayEdit.value && <Button onClick={() => setQuery({ new: 'hosts' })}>Paste hosts</Button>}
            {mayEdit.value && (
              <Button icon="plus" onClick={() => setQuery({ new: 'host' })}>
                Add host
              </Button>
            )}
          </div>
        }
        class="hosts"
        headings={['Host', 'Environment', 'Served by', 'Certificate and requests']}
        keyOf={({ hostname }) => hostname}
        cells={(host) => <Cells host={host} />}
        empty={<p class="body muted">{q.value === '' ? 'No host yet.' : `No host contains “${q.value}”.`}</p>}
      />
      {opened('new') === 'host' && <HostDialog websiteId={id} onClose={() => closeQuery('new')} />}
      {opened('new') === 'hosts' && <PasteHosts websiteId={id} onClose={() => closeQuery('new')} />}
      {edited && <HostDialog websiteId={id} host={edited} onClose={() => closeQuery('edit')} />}
      {removed && <RemoveHost websiteId={id} hostname={removed.hostname} />}
      {record !== null && (
        <HostRecord
          key={record}
          websiteId={id}
          hostname={record}
          onClose={() => (closeQuery('host'), pages.reload())}
        />
      )}
    </>
  );
}

function reportChanges(before: readonly HostState[], hosts: readonly HostState[]): void {
  const known = new Map(before.map((host) => [host.hostname, host]));
  const changes = hosts.flatMap((host) => hostChange(known.get(host.hostname), host) ?? []);
  if (changes.length > 0) toast(changes.join('. '));
}

function RemoveHost({ websiteId, hostname }: { websiteId: number; hostname: string }) {
  return (
    <Confirm
      title={`Remove ${hostname}?`}
      verb="Remove host"
      onConfirm={async () => {
        upsertWebsite(await changeHosts(websiteId, (hosts) => hosts.filter((host) => host.hostname !== hostname)));
        toast(`${hostname} removed`);
      }}
      onClose={() => closeQuery('remove')}
    >
      It stops within a second. The redirects stay.
    </Confirm>
  );
}

const SERVED_BY = {
  here: ['ok', 'Detour'],
  elsewhere: ['warn', 'Another server'],
  nowhere: ['warn', 'Not in DNS'],
  unknown: ['', 'Not known'],
} as const;

const LOCAL = ['ok', 'This machine'] as const;

function Cells({ host }: { host: HostState }) {
  const { hostname, environment, redirect_to: to, verified, dns } = host;
  const isLocal = isLocalHost(hostname);
  const [kind, label] = isLocal ? LOCAL : SERVED_BY[dns.state];
  return (
    <>
      <span class="stack gap-0 break">
        <a class="mono" href={`?host=${encodeURIComponent(hostname)}`}>
          {hostname}
        </a>
        {to && <span class="mono small muted">→ {to.url}</span>}
      </span>
      <span>
        <EnvironmentBadge environment={environment} />
      </span>
      <span class="stack gap-0">
        <span class="row wrap">
          <span class={`badge ${kind}`}>{label}</span>
          {!verified && <span class="badge warn">Not verified</span>}
        </span>
        {!isLocal && dns.problem !== null && dns.state !== 'nowhere' && (
          <span class="small muted break">{capitalized(networkErrorText(dns.problem))}</span>
        )}
      </span>
      <span class="stack gap-0 small muted break">
        <span>{certificateText(host)}</span>
        {verified && (
          <span>{host.last_request_at ? `Last request ${ago(host.last_request_at)}` : 'No request yet'}</span>
        )}
      </span>
      <HostMenu hostname={hostname} />
    </>
  );
}

function HostMenu({ hostname }: { hostname: string }) {
  if (!mayEdit.value) return null;
  return (
    <Menu buttonClass="button quiet icon-only" label={`Actions of ${hostname}`} button={<Icon name="more" />}>
      <button type="button" onClick={() => setQuery({ edit: hostname })}>
        Edit…
      </button>
      <button type="button" onClick={() => setQuery({ host: hostname })}>
        DNS record and check…
      </button>
      <button type="button" onClick={() => setQuery({ remove: hostname })}>
        Remove…
      </button>
    </Menu>
  );
}

/** Says why the certificate is not known, if it is not. */
function certificateText({ hostname, verified, certificate }: HostState): string {
  if (isLocalHost(hostname)) return 'On this machine, no certificate is needed';
  if (certificate?.error) return `No valid certificate. ${capitalized(networkErrorText(certificate.error))}`;
  if (certificate?.valid_until) return `Certificate valid until ${dayOf(certificate.valid_until)}`;
  if (!verified) return 'Certificate not known until the host is verified';
  if (hostname.startsWith('*.')) return 'Each name has its own certificate';
  return 'Certificate not known: no address';
}
