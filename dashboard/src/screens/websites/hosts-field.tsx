import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { Website } from '../../api/wire.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { Select } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';

type Hosts = Website['hosts'];

/** The hosts of a website, a line each. */
export function HostsField({
  hosts,
  onChange,
  wrong,
  disabled = false,
}: {
  hosts: Hosts;
  onChange: (hosts: Hosts) => void;
  wrong?: string | undefined;
  disabled?: boolean;
}) {
  const put = (at: number, host: Partial<Hosts[number]>): void =>
    onChange(hosts.map((each, index) => (index === at ? { ...each, ...host } : each)));
  const nextEnvironment = ENVIRONMENTS.find((name) => hosts.every(({ environment }) => environment !== name));
  const meant = wrong === undefined ? undefined : hostMeantBy(wrong, hosts);
  return (
    <fieldset class="field" disabled={disabled}>
      <legend>Hosts</legend>
      <ul class="host-lines">
        {hosts.map((host, at) => (
          <HostLine
            key={at}
            at={at}
            host={host}
            isWrong={wrong !== undefined && (meant === undefined || meant === host)}
            isFixed={disabled}
            onChange={(next) => put(at, next)}
            onRemove={() => onChange(hosts.filter((_, index) => index !== at))}
          />
        ))}
      </ul>
      {wrong !== undefined && (
        <div class="wrong" role="alert">
          <Icon name="warning" />
          {wrong}
        </div>
      )}
      {!disabled && (
        <div class="actions">
          <Button
            size="small"
            icon="plus"
            onClick={() =>
              onChange([...hosts, { hostname: '', environment: nextEnvironment ?? 'production' }])
            }
          >
            Add a host
          </Button>
        </div>
      )}
      <div class="hint">
        Point the name at this service in your DNS or proxy; one that ends in .localhost works on this machine
        at once.
      </div>
    </fieldset>
  );
}

function HostLine({
  at,
  host,
  isWrong,
  isFixed,
  onChange,
  onRemove,
}: {
  at: number;
  host: Hosts[number];
  isWrong: boolean;
  isFixed: boolean;
  onChange: (next: Partial<Hosts[number]>) => void;
  onRemove: () => void;
}) {
  return (
    <li>
      <input
        class="input mono"
        aria-label={`Host ${at + 1}`}
        aria-invalid={isWrong}
        placeholder="www.example.com"
        spellcheck={false}
        value={host.hostname}
        onInput={(event) => onChange({ hostname: event.currentTarget.value.trim() })}
        onChange={(event) => onChange({ hostname: hostIn(event.currentTarget.value) })}
      />
      <Select
        aria-label={`Environment of host ${at + 1}`}
        value={host.environment}
        options={ENVIRONMENTS.map((name) => [name, ENVIRONMENT_LABEL[name]] as const)}
        onChoose={(environment) => onChange({ environment })}
      />
      {!isFixed && <IconButton label={`Remove host ${at + 1}`} icon="close" onClick={onRemove} />}
    </li>
  );
}

/** The host of an address that was pasted whole, as it is copied from the browser: without scheme, port and path. */
const hostIn = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/:\d+$/, '');

/** The service names the host that it refuses; of two names of which one holds the other the longer is meant. */
const hostMeantBy = (wrong: string, hosts: Hosts): Hosts[number] | undefined =>
  namedHosts(hosts)
    .filter(({ hostname }) => wrong.includes(hostname))
    .toSorted((a, b) => b.hostname.length - a.hostname.length)[0];

/** Lines without a name are nobody's host. */
export const namedHosts = (hosts: Hosts): Hosts => hosts.filter(({ hostname }) => hostname !== '');
