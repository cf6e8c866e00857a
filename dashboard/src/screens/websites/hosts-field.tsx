import { useSignal } from '@preact/signals';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import { DOMAIN_REDIRECT_STATUSES } from '../../../../src/vocabulary/status-code.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ENVIRONMENT_OPTIONS } from '../../ui/environment.tsx';
import { Check, Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { type EditedHost, hostIn, type Hosts } from './host-lines.ts';
import { HostsText } from './hosts-text.tsx';

/** Hosts that are edited in lines by default. */
const MAX_LINES = 20;

/** The hosts of a website, as lines with controls or as text. Many hosts are text. */
export function HostsField({
  hosts,
  onChange,
  error,
  disabled = false,
}: {
  hosts: Hosts;
  onChange: (hosts: Hosts) => void;
  error?: string | undefined;
  disabled?: boolean;
}) {
  const nextEnvironment = ENVIRONMENTS.find((name) => hosts.every(({ environment }) => environment !== name));
  const rejected = error === undefined ? undefined : rejectedHost(error, hosts);
  const isInvalid = (host: EditedHost): boolean => error !== undefined && (rejected === undefined || rejected === host);
  const isText = useSignal(hosts.length > MAX_LINES);
  return (
    <fieldset class="field" disabled={disabled}>
      <legend>Hosts</legend>
      {isText.value ? (
        <HostsText hosts={hosts} onChange={onChange} />
      ) : (
        <HostLines hosts={hosts} onChange={onChange} isInvalid={isInvalid} isFixed={disabled} />
      )}
      {error !== undefined && (
        <div class="wrong" role="alert">
          <Icon name="warning" />
          {isText.value && rejected ? `Line ${hosts.indexOf(rejected) + 1}: ${error}` : error}
        </div>
      )}
      {!disabled && !isText.value && (
        <div class="actions">
          <Button
            size="small"
            icon="plus"
            onClick={() => onChange([...hosts, { hostname: '', environment: nextEnvironment ?? 'production' }])}
          >
            Add host
          </Button>
          <Button size="small" kind="quiet" onClick={() => (isText.value = true)}>
            Paste a list
          </Button>
        </div>
      )}
      <div class="hint">
        Point the host at this service in your DNS or proxy. Hosts that end in .localhost work on this machine
        immediately.
      </div>
    </fieldset>
  );
}

function HostLines({
  hosts,
  onChange,
  isInvalid,
  isFixed,
}: {
  hosts: Hosts;
  onChange: (hosts: Hosts) => void;
  isInvalid: (host: EditedHost) => boolean;
  isFixed: boolean;
}) {
  const update = (at: number, next: Partial<EditedHost>): void =>
    onChange(hosts.map((each, index) => (index === at ? { ...each, ...next } : each)));
  return (
    <ul class="host-lines">
      {hosts.map((host, at) => (
        <HostLine
          key={at}
          at={at}
          host={host}
          isInvalid={isInvalid(host)}
          isFixed={isFixed}
          onChange={(next) => update(at, next)}
          onRemove={() => onChange(hosts.filter((_, index) => index !== at))}
        />
      ))}
    </ul>
  );
}

function HostLine({
  at,
  host,
  isInvalid,
  isFixed,
  onChange,
  onRemove,
}: {
  at: number;
  host: EditedHost;
  isInvalid: boolean;
  isFixed: boolean;
  onChange: (next: Partial<EditedHost>) => void;
  onRemove: () => void;
}) {
  return (
    <li>
      <input
        class="input mono"
        aria-label={`Host ${at + 1}`}
        aria-invalid={isInvalid}
        placeholder="www.example.com"
        spellcheck={false}
        value={host.hostname}
        onInput={(event) => onChange({ hostname: event.currentTarget.value.trim() })}
        onChange={(event) => onChange({ hostname: hostIn(event.currentTarget.value) })}
      />
      <Select
        aria-label={`Environment of host ${at + 1}`}
        value={host.environment}
        options={ENVIRONMENT_OPTIONS}
        onChoose={(environment) => onChange({ environment })}
      />
      {!isFixed && <IconButton label={`Remove host ${at + 1}`} icon="close" onClick={onRemove} />}
      {host.redirect_to && <Target at={at} to={host.redirect_to} onChange={onChange} />}
      {!host.redirect_to && !isFixed && (
        <Button size="small" kind="quiet" onClick={() => onChange({ redirect_to: { url: 'https://' } })}>
          Redirect the whole host<span class="unseen"> {at + 1}</span>
        </Button>
      )}
    </li>
  );
}

const STATUSES = DOMAIN_REDIRECT_STATUSES.map((status) => [String(status), String(status)] as const);

/** The domain redirect of a host. */
function Target({
  at,
  to,
  onChange,
}: {
  at: number;
  to: NonNullable<EditedHost['redirect_to']>;
  onChange: (next: Partial<EditedHost>) => void;
}) {
  const change = (next: Partial<typeof to>): void => onChange({ redirect_to: { ...to, ...next } });
  return (
    <div class="host-target">
      <span aria-hidden="true">→</span>
      <input
        class="input mono"
        aria-label={`Target of host ${at + 1}`}
        placeholder="https://www.example.com"
        spellcheck={false}
        value={to.url}
        onInput={(event) => change({ url: event.currentTarget.value.trim() })}
      />
      <Select
        aria-label={`Status of host ${at + 1}`}
        value={String(to.status_code ?? 301)}
        options={STATUSES}
        onChoose={(status) => change({ status_code: Number(status) })}
      />
      <IconButton
        label={`Remove the target of host ${at + 1}`}
        icon="close"
        onClick={() => onChange({ redirect_to: null })}
      />
      <Check
        label="Keep path and query"
        checked={to.keep_path ?? true}
        onCheck={(keep_path) => change({ keep_path })}
      />
    </div>
  );
}

/** The host that the error message names; the longest, if one name contains another. */
const rejectedHost = (error: string, hosts: Hosts): EditedHost | undefined =>
  namedHosts(hosts)
    .filter(({ hostname }) => error.includes(hostname))
    .toSorted((a, b) => b.hostname.length - a.hostname.length)[0];

/** Skips empty lines. */
export const namedHosts = (hosts: Hosts): Hosts => hosts.filter(({ hostname }) => hostname !== '');
