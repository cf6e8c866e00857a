import type { ApiError } from '../../api/api-error.ts';
import type { Website } from '../../api/wire.ts';
import { Check, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { HostsField } from './hosts-field.tsx';
import { hostsProblem } from './new-website.tsx';

export type Settings = ReturnType<typeof settingsOf>;

/** What of a website can be set. */
export function settingsOf(website: Website) {
  const { name, hosts, case_sensitive, trailing_slash, query, fallback_url } = website;
  const { allowed_target_hosts, auto_deploy, on_loop } = website;
  return {
    name,
    hosts,
    case_sensitive,
    trailing_slash,
    query,
    fallback_url,
    allowed_target_hosts,
    auto_deploy,
    on_loop,
  };
}

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
          wrong={error?.issueOf('name')}
        />
        <HostsField
          hosts={settings.hosts}
          onChange={(hosts) => onChange({ hosts })}
          wrong={error && hostsProblem(error)}
          disabled={disabled}
        />
      </fieldset>
      <Matching {...props} />
      <Deploying {...props} />
    </>
  );
}

function Matching({ settings, onChange, error, disabled }: SectionProps) {
  return (
    <fieldset class="fields" disabled={disabled}>
      <legend>
        <h2>How requests are matched</h2>
      </legend>
      <SelectField
        label="Upper and lower case"
        value={settings.case_sensitive ? 'exact' : 'ignore'}
        options={[
          ['exact', 'Differ: /Sale and /sale are two paths'],
          ['ignore', 'Are the same: /Sale is /sale'],
        ]}
        onChoose={(value) => onChange({ case_sensitive: value === 'exact' })}
      />
      <SelectField
        label="Slash at the end"
        value={settings.trailing_slash}
        options={[
          ['ignore', 'Does not matter: /sale/ is /sale'],
          ['exact', 'Matters: /sale/ and /sale are two paths'],
        ]}
        onChoose={(trailing_slash) => onChange({ trailing_slash })}
      />
      <SelectField
        label="Query of a request"
        value={settings.query}
        options={[
          ['pass', 'Is passed on to the target'],
          ['drop', 'Is dropped'],
          ['exact', 'Means another address: only requests without query match'],
        ]}
        onChoose={(query) => onChange({ query })}
      />
      <TextField
        label="Where other requests go"
        isCode
        placeholder="https://www.example.com"
        value={settings.fallback_url ?? ''}
        onText={(text) => onChange({ fallback_url: text.trim() || null })}
        wrong={error?.issueOf('fallback_url')}
        hint="A request without a redirect is sent there with its path. Empty: it gets a 404."
      />
      <TextArea
        label="Hosts that redirects may lead to"
        isCode
        value={settings.allowed_target_hosts.join('\n')}
        onText={(text) =>
          onChange({ allowed_target_hosts: text === '' ? [] : text.split('\n').map((line) => line.trim()) })
        }
        wrong={error?.issues.find(({ path }) => path.startsWith('allowed_target_hosts'))?.message}
        hint="One a line. A target such as https://other.example/page is taken only where its host stands here."
      />
    </fieldset>
  );
}

function Deploying({ settings, onChange, disabled }: SectionProps) {
  return (
    <fieldset class="fields" disabled={disabled}>
      <legend>
        <h2>How changes are deployed</h2>
      </legend>
      <Check
        label="Deploy every change automatically"
        hint="within a second. Off: only when you press Deploy in Deployments."
        checked={settings.auto_deploy}
        onCheck={(auto_deploy) => onChange({ auto_deploy })}
        disabled={disabled}
      />
      <SelectField
        label="A deployment with a loop of several redirects"
        value={settings.on_loop}
        options={[
          ['warn', 'Is deployed, and names the loop'],
          ['fail', 'Fails; what was live stays live'],
        ]}
        onChoose={(on_loop) => onChange({ on_loop })}
      />
    </fieldset>
  );
}
