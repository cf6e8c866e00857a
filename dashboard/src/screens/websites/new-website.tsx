import { createWebsite } from '../../api/websites.ts';
import { go } from '../../router.ts';
import { upsertWebsite } from '../../state/websites.ts';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import type { Hosts } from './host-lines.ts';
import { HostsField, hostsErrorOf } from './hosts-field.tsx';

const START: { name: string; hosts: Hosts } = { name: '', hosts: [] };

const FIELDS: FieldTable<typeof START> = [
  { name: 'name', label: 'Name', required: true, autofocus: true, placeholder: 'Shop' },
  { name: 'hosts', errorOf: hostsErrorOf, control: (props) => <HostsField {...props} /> },
];

/** Creates a website with name and hosts; all other settings have defaults. */
export function NewWebsite({ onClose }: { onClose: () => void }) {
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
