import './websites.css';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { Website } from '../../api/client/wire.ts';
import { createWebsite } from '../../api/websites.ts';
import { go } from '../../router.ts';
import { mayCreateWebsites } from '../../state/session.ts';
import { upsertWebsite, websites } from '../../state/websites.ts';
import { LinkButton } from '../../ui/button.tsx';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { NewButton, ResourceScreen } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { EnvironmentState, useRecentDeployments } from './environment-state.tsx';
import type { Hosts } from './host-lines.ts';
import { HostsField, hostsErrorOf } from './hosts-field.tsx';

const NEW = { label: 'New website', name: 'website', dialog: (close: () => void) => <NewWebsite onClose={close} /> };
const START: { name: string; hosts: Hosts } = { name: '', hosts: [] };
const FIELDS: FieldTable<typeof START> = [
  { name: 'name', label: 'Name', required: true, autofocus: true, placeholder: 'Shop' },
  { name: 'hosts', errorOf: hostsErrorOf, control: (props) => <HostsField {...props} /> },
];

/** The websites of the account and what is live in each environment. */
export function WebsitesScreen() {
  const list = websites.value ?? [];
  const recent = useRecentDeployments();
  const creation = mayCreateWebsites.value ? NEW : undefined;
  return (
    <ResourceScreen
      title="Websites"
      lead="Each website has hosts, and redirects that you deploy to its environments."
      creation={creation}
    >
      {list.length === 0 ? (
        <Empty icon="websites" title="No websites yet" actions={<NewButton of={creation} />}>
          Add the website whose visitors you want to redirect, with its host. Hosts that end in .localhost work on this
          machine immediately.
        </Empty>
      ) : (
        <ul class="fields website-list">
          {list.map((website) => (
            <WebsiteCard key={website.id} website={website} recent={recent} />
          ))}
        </ul>
      )}
    </ResourceScreen>
  );
}

function WebsiteCard({ website, recent }: { website: Website; recent: ReturnType<typeof useRecentDeployments> }) {
  const base = `/websites/${website.id}`;
  return (
    <li class="card">
      <header>
        <h2 class="break">
          <a href={`${base}/redirects`}>{website.name}</a>
        </h2>
        <div class="actions">
          <LinkButton size="small" href={`${base}/settings`} icon="settings">
            Settings
          </LinkButton>
        </div>
      </header>
      <ul class="row-list environment-list">
        {ENVIRONMENTS.map((environment) => (
          <EnvironmentState key={environment} website={website} environment={environment} recent={recent} />
        ))}
      </ul>
    </li>
  );
}

/** Creates a website with name and hosts; all other settings have defaults. */
function NewWebsite({ onClose }: { onClose: () => void }) {
  return (
    <ResourceDialog
      title="New website"
      verb="Create website"
      start={START}
      fields={FIELDS}
      onSend={async ({ name, hosts }) => {
        const { website } = await createWebsite({ name, hosts });
        upsertWebsite(website);
        // An unverified host serves nothing: the settings have its DNS record.
        go(`/websites/${website.id}/${website.hosts.every(({ verified }) => verified) ? 'redirects' : 'settings'}`);
      }}
      onClose={onClose}
    />
  );
}
