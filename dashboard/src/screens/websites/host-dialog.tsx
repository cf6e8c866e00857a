import { DOMAIN_REDIRECT_STATUSES } from '../../../../src/vocabulary/status-code.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { ApiError } from '../../api/client/api-error.ts';
import { changeHosts } from '../../api/websites.ts';
import type { HostState } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { upsertWebsite } from '../../state/websites.ts';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { ENVIRONMENT_OPTIONS } from '../../ui/text/environment.tsx';
import { type EditedHost, hostIn, type Hosts } from './host-lines.ts';
import { HostRecord } from './host-record.tsx';
import { HostsField, hostsErrorOf } from './hosts-field.tsx';

interface Draft {
  hostname: string;
  environment: Environment;
  isRedirected: boolean;
  url: string;
  status_code: number;
  keep_path: boolean;
}

const FIELDS: FieldTable<Draft> = [
  {
    name: 'hostname',
    label: 'Host',
    required: true,
    autofocus: true,
    isCode: true,
    placeholder: 'www.example.com',
    hint: 'Write *.example.com for every name below example.com.',
    // Another website may have the host.
    errorOf: ({ code, details, message }) => (code === 'CONFLICT' ? details || message : undefined),
  },
  { name: 'environment', label: 'Environment', options: ENVIRONMENT_OPTIONS },
  {
    name: 'isRedirected',
    label: 'Visitors get',
    options: [
      [false, 'The redirects of the environment'],
      [true, 'One redirect of the whole host'],
    ],
  },
  {
    name: 'url',
    label: 'Redirect to',
    required: true,
    isCode: true,
    placeholder: 'https://www.example.com',
    issues: ['redirect_to'],
    isShown: ({ isRedirected }) => isRedirected,
  },
  {
    name: 'status_code',
    label: 'Status',
    options: DOMAIN_REDIRECT_STATUSES.map((status) => [status, String(status)] as const),
    isShown: ({ isRedirected }) => isRedirected,
  },
  {
    name: 'keep_path',
    label: 'Path and query',
    options: [
      [true, 'Append to the target'],
      [false, 'Drop'],
    ],
    isShown: ({ isRedirected }) => isRedirected,
  },
];

const START: Draft = {
  hostname: '',
  environment: 'production',
  isRedirected: false,
  url: '',
  status_code: 301,
  keep_path: true,
};

const hostOf = ({ hostname, environment, isRedirected, url, status_code, keep_path }: Draft): EditedHost => ({
  hostname: hostIn(hostname),
  environment,
  redirect_to: isRedirected ? { url, status_code, keep_path } : null,
});

/** The request has all hosts, and the dialog one: issues are at its fields. */
function atFields(thrown: unknown): never {
  if (!(thrown instanceof ApiError)) throw thrown;
  const issues = thrown.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^hosts\[\d+\]\./, '') }));
  throw new ApiError(thrown.status, thrown.code, thrown.message, { ...thrown, issues });
}

/** Edits a host, or adds one and then shows its DNS record. */
export function HostDialog(props: { websiteId: number; host?: HostState; onClose: () => void }) {
  const { websiteId, host, onClose } = props;
  const { redirect_to: to } = host ?? {};
  return (
    <ResourceDialog
      title={host ? `Edit ${host.hostname}` : 'Add host'}
      verb={host ? 'Save' : 'Add host'}
      start={{
        ...START,
        ...(host && { hostname: host.hostname, environment: host.environment }),
        isRedirected: !!to,
        ...to,
      }}
      fields={FIELDS}
      onSend={async (draft) => {
        const edited = hostOf(draft);
        const website = await changeHosts(websiteId, (hosts) =>
          host ? hosts.map((each) => (each.hostname === host.hostname ? edited : each)) : [...hosts, edited],
        ).catch(atFields);
        upsertWebsite(website);
        // The service stores names in lower case and ASCII.
        const stored = website.hosts.at(-1)?.hostname ?? edited.hostname;
        toast(host ? `${edited.hostname} saved` : `${stored} added`);
        return host ? undefined : <HostRecord websiteId={websiteId} hostname={stored} onClose={onClose} />;
      }}
      onClose={onClose}
    />
  );
}

const PASTE: FieldTable<{ hosts: Hosts }> = [
  { name: 'hosts', errorOf: hostsErrorOf, control: (props) => <HostsField {...props} /> },
];

/** Adds many hosts, one per line. A host that the website has gets the values of its line. */
export function PasteHosts({ websiteId, onClose }: { websiteId: number; onClose: () => void }) {
  return (
    <ResourceDialog
      title="Paste hosts"
      verb={({ hosts }) => (hosts.length === 0 ? 'Add hosts' : `Add ${counted(hosts.length, 'host')}`)}
      start={{ hosts: [] as Hosts }}
      fields={PASTE}
      isReady={({ hosts }) => hosts.length > 0}
      onSend={async ({ hosts: pasted }) => {
        const names = new Set(pasted.map(({ hostname }) => hostname.toLowerCase()));
        const website = await changeHosts(websiteId, (hosts) => [
          ...hosts.filter(({ hostname }) => !names.has(hostname)),
          ...pasted,
        ]);
        upsertWebsite(website);
        toast(`${counted(pasted.length, 'host')} added`);
      }}
      onClose={onClose}
    />
  );
}
