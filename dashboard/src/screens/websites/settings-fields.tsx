import { useId } from 'preact/hooks';
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { ApiError } from '../../api/api-error.ts';
import type { Website } from '../../api/wire.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { Check, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import type { EditedHost } from './host-lines.ts';
import { HostsField } from './hosts-field.tsx';
import { hostsErrorOf } from './new-website.tsx';

export type Settings = ReturnType<typeof settingsOf>;

/** The editable settings of a website. */
export function settingsOf(website: Website) {
  const { name, hosts, case_sensitive, trailing_slash, query, fallback_url } = website;
  const { allowed_target_hosts, auto_deploy, on_loop, gated_environments } = website;
  return {
    name,
    hosts: hosts.map(({ hostname, environment, redirect_to }): EditedHost => {
      return { hostname, environment, ...(redirect_to && { redirect_to }) };
    }),
    case_sensitive,
    trailing_slash,
    query,
    fallback_url,
    allowed_target_hosts,
    auto_deploy,
    on_loop,
    gated_environments,
  };
}

export const LETTER_CASES = [
  ['exact', 'Case-sensitive: /Sale is not /sale'],
  ['ignore', 'Case-insensitive: /Sale equals /sale'],
] as const;

export const TRAILING_SLASHES = [
  ['ignore', 'Ignored: /sale/ equals /sale'],
  ['exact', 'Significant: /sale/ is not /sale'],
] as const;

export const QUERIES = [
  ['pass', 'Pass on to the target'],
  ['drop', 'Drop'],
  ['exact', 'Match exactly'],
] as const;

export const ON_LOOP = [
  ['warn', 'Deploy it and show a warning'],
  ['fail', 'Fail and keep the live version'],
] as const;

interface SectionProps {
  settings: Settings;
  onChange: (next: Partial<Settings>) => void;
  error: ApiError | undefined;
  disabled: boolean;
}

export function SettingsFields(props: SectionProps) {
  const { settings, onChange, error, disabled } = props;
  return (
    <>
      <fieldset class="fields" disabled={disabled}>
        <TextField
          label="Name"
          required
          value={settings.name}
          onText={(name) => onChange({ name })}
          error={error?.issueOf('name')}
        />
        <HostsField
          hosts={settings.hosts}
          onChange={(hosts) => onChange({ hosts })}
          error={error && hostsErrorOf(error)}
          disabled={disabled}
        />
      </fieldset>
      <Matching {...props} />
      <Deploying {...props} />
    </>
  );
}

const EXACT_QUERY = 'A path without a query string matches only requests without one.';

function Matching({ settings, onChange, error, disabled }: SectionProps) {
  return (
    <fieldset class="fields" disabled={disabled}>
      <legend>
        <h2>Matching</h2>
      </legend>
      <SelectField
        label="Letter case"
        value={settings.case_sensitive ? 'exact' : 'ignore'}
        options={LETTER_CASES}
        onChoose={(value) => onChange({ case_sensitive: value === 'exact' })}
      />
      <SelectField
        label="Trailing slash"
        value={settings.trailing_slash}
        options={TRAILING_SLASHES}
        onChoose={(trailing_slash) => onChange({ trailing_slash })}
      />
      <SelectField
        label="Query string"
        value={settings.query}
        options={QUERIES}
        onChoose={(query) => onChange({ query })}
        hint={settings.query === 'exact' ? EXACT_QUERY : undefined}
      />
      <TextField
        label="Fallback URL"
        isCode
        placeholder={disabled ? 'None' : 'https://www.example.com'}
        value={settings.fallback_url ?? ''}
        onText={(text) => onChange({ fallback_url: text.trim() || null })}
        error={error?.issueOf('fallback_url')}
        hint="Requests that match no redirect are sent there with their path. Leave empty to respond with 404."
      />
      <TextArea
        label="Allowed target hosts"
        isCode
        value={settings.allowed_target_hosts.join('\n')}
        onText={(text) =>
          onChange({ allowed_target_hosts: text === '' ? [] : text.split('\n').map((line) => line.trim()) })
        }
        error={error?.issues.find(({ path }) => path.startsWith('allowed_target_hosts'))?.message}
        hint="One per line. A target such as https://other.example/page is accepted only if its host is listed."
      />
    </fieldset>
  );
}

function Deploying({ settings, onChange, disabled }: SectionProps) {
  return (
    <fieldset class="fields" disabled={disabled}>
      <legend>
        <h2>Deployment</h2>
      </legend>
      <Check
        label="Deploy changes automatically"
        hint="within a second. If off, changes go live when you click Deploy in Deployments."
        checked={settings.auto_deploy}
        onCheck={(auto_deploy) => onChange({ auto_deploy })}
        disabled={disabled}
      />
      <SelectField
        label="If a deployment contains a redirect loop"
        value={settings.on_loop}
        options={ON_LOOP}
        onChoose={(on_loop) => onChange({ on_loop })}
      />
      <Gates settings={settings} onChange={onChange} disabled={disabled} />
    </fieldset>
  );
}

/** The environments whose deployments check the expectations. */
function Gates({
  settings: { gated_environments: gated },
  onChange,
  disabled,
}: Pick<SectionProps, 'settings' | 'onChange' | 'disabled'>) {
  const id = useId();
  return (
    <fieldset class="field" disabled={disabled} aria-describedby={id}>
      <legend>Check expectations before deploying to</legend>
      <div class="choices">
        {ENVIRONMENTS.map((environment) => (
          <Check
            key={environment}
            label={ENVIRONMENT_LABEL[environment]}
            checked={gated.includes(environment)}
            disabled={disabled}
            onCheck={(checked) =>
              onChange({
                gated_environments: ENVIRONMENTS.filter((each) =>
                  each === environment ? checked : gated.includes(each),
                ),
              })
            }
          />
        ))}
      </div>
      <div class="hint" id={id}>
        A deployment fails unless the expectations of its environment hold, and the live version stays.
      </div>
    </fieldset>
  );
}
