import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { Website } from '../../api/wire.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ENVIRONMENT_OPTIONS } from '../../ui/environment.tsx';
import { Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';

/** The hosts as a user edits them. */
export type Hosts = Pick<Website['hosts'][number], 'hostname' | 'environment'>[];

/** The hosts of a website, one per line. */
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
  const update = (at: number, host: Partial<Hosts[number]>): void =>
    onChange(hosts.map((each, index) => (index === at ? { ...each, ...host } : each)));
  const nextEnvironment = ENVIRONMENTS.find((name) => hosts.every(({ environment }) => environment !== name));
  const rejected = error === undefined ? undefined : rejectedHost(error, hosts);
  return (
    <fieldset class="field" disabled={disabled}>
      <legend>Hosts</legend>
      <ul class="host-lines">
        {hosts.map((host, at) => (
          <HostLine
            key={at}
            at={at}
            host={host}
            isInvalid={error !== undefined && (rejected === undefined || rejected === host)}
            isFixed={disabled}
            onChange={(next) => update(at, next)}
            onRemove={() => onChange(hosts.filter((_, index) => index !== at))}
          />
        ))}
      </ul>
      {error !== undefined && (
        <div class="wrong" role="alert">
          <Icon name="warning" />
          {error}
        </div>
      )}
      {!disabled && (
        <div class="actions">
          <Button
            size="small"
            icon="plus"
            onClick={() => onChange([...hosts, { hostname: '', environment: nextEnvironment ?? 'production' }])}
          >
            Add host
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

function HostLine({
  at,
  host,
  isInvalid,
  isFixed,
  onChange,
  onRemove,
}: {
  at: number;
  host: Hosts[number];
  isInvalid: boolean;
  isFixed: boolean;
  onChange: (next: Partial<Hosts[number]>) => void;
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
    </li>
  );
}

/** The host of a pasted URL, without scheme, port and path. */
const hostIn = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '');

/** The host that the error message names; the longest, if one name contains another. */
const rejectedHost = (error: string, hosts: Hosts): Hosts[number] | undefined =>
  namedHosts(hosts)
    .filter(({ hostname }) => error.includes(hostname))
    .toSorted((a, b) => b.hostname.length - a.hostname.length)[0];

/** Skips empty lines. */
export const namedHosts = (hosts: Hosts): Hosts => hosts.filter(({ hostname }) => hostname !== '');
