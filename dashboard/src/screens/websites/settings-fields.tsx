import { useId } from 'preact/hooks';
import { ENVIRONMENTS, type Environment } from '../../../../src/vocabulary/environment.ts';
import type { ApiError } from '../../api/client/api-error.ts';
import { runExpectations } from '../../api/checks.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { currentWebsite } from '../../state/websites.ts';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { Check } from '../../ui/form/field.tsx';
import { type ControlProps, type FieldTable, FormFields } from '../../ui/form/form-fields.tsx';
import { ScheduleField, scheduleOf } from './check-schedule.tsx';

export type Settings = ReturnType<typeof settingsOf>;

/** The settings of a website as its form edits them. */
export function settingsOf(website: Website) {
  const { name, case_sensitive, trailing_slash, query, fallback_url } = website;
  const { allowed_target_hosts, auto_deploy, on_loop, gated_environments, url_gate } = website;
  return {
    name,
    case_sensitive,
    trailing_slash,
    query,
    /** '' for none */
    fallback_url: fallback_url ?? '',
    /** one per line */
    allowed_target_hosts: allowed_target_hosts.join('\n'),
    auto_deploy,
    on_loop,
    gated_environments,
    url_gate,
    /** one per line, like the sitemaps */
    page_parameters: website.page_parameters.join('\n'),
    sitemap_urls: website.sitemap_urls.join('\n'),
    check_schedule: scheduleOf(website.check_schedule),
    check_after_deployment: website.check_after_deployment ?? false,
  };
}

const MAIN: FieldTable<Settings> = [{ name: 'name', label: 'Name', required: true }];

const EXACT_QUERY = 'A path without a query string matches only requests without one.';

const MATCHING: FieldTable<Settings> = [
  {
    name: 'case_sensitive',
    label: 'Letter case',
    options: [
      [true, 'Case-sensitive: /Sale is not /sale'],
      [false, 'Case-insensitive: /Sale equals /sale'],
    ],
  },
  {
    name: 'trailing_slash',
    label: 'Trailing slash',
    options: [
      ['ignore', 'Ignored: /sale/ equals /sale'],
      ['exact', 'Significant: /sale/ is not /sale'],
    ],
  },
  {
    name: 'query',
    label: 'Query string',
    options: [
      ['pass', 'Pass on to the target'],
      ['drop', 'Drop'],
      ['exact', 'Match exactly'],
    ],
    hint: ({ query }) => (query === 'exact' ? EXACT_QUERY : undefined),
  },
  {
    name: 'fallback_url',
    label: 'Fallback URL',
    isCode: true,
    placeholder: 'https://www.example.com',
    hint: 'Requests that match no redirect are sent there with their path. Leave empty to respond with 404.',
  },
  {
    name: 'allowed_target_hosts',
    label: 'Allowed target hosts',
    isCode: true,
    rows: 3,
    hint: 'One per line. A target such as https://other.example/page is accepted only if its host is listed.',
  },
];

const gate = <Name extends 'gated_environments' | 'url_gate'>(name: Name, label: string, hint: string) => ({
  name,
  label,
  control: (props: ControlProps<Environment[]>) => (
    <>
      <Gates {...props} label={label} hint={hint} />
      {name === 'gated_environments' &&
        newGates(props.value).map((each) => <FailingNow key={each} environment={each} />)}
    </>
  ),
});

const DEPLOYMENT: FieldTable<Settings> = [
  {
    name: 'auto_deploy',
    label: 'Deploy changes automatically',
    control: ({ value, onChange }) => (
      <Check
        label="Deploy changes automatically"
        hint="within a second. If off, changes go live when you click Deploy in Deployments."
        checked={value}
        onCheck={onChange}
      />
    ),
  },
  {
    name: 'on_loop',
    label: 'If a deployment contains a redirect loop',
    options: [
      ['warn', 'Deploy it and show a warning'],
      ['fail', 'Fail and keep the live version'],
    ],
  },
  gate(
    'gated_environments',
    'Check expectations before deploying to',
    'A deployment fails unless the expectations of its environment hold, and the live version stays.',
  ),
  gate(
    'url_gate',
    'Check URLs before deploying to',
    'A deployment fails if it loses a URL that the live version answers, or newly hides a living page.',
  ),
];

const URLS: FieldTable<Settings> = [
  {
    name: 'page_parameters',
    label: 'Page parameters',
    isCode: true,
    rows: 2,
    hint: 'Query parameters that identify a page, one per line. Others are cut from URLs that are pushed later.',
  },
  {
    name: 'sitemap_urls',
    label: 'Sitemaps',
    isCode: true,
    rows: 2,
    placeholder: 'https://www.example.com/sitemap.xml',
    hint: 'One per line, at most 20. Each is fetched every night as a list of living pages.',
  },
];

const CHECKS: FieldTable<Settings> = [
  { name: 'check_schedule', label: 'Check targets', control: (props) => <ScheduleField {...props} /> },
  {
    name: 'check_after_deployment',
    label: 'Check after each deployment',
    control: ({ value, onChange }) => (
      <Check
        label="After each deployment, check a sample of 200 redirects at the public host"
        checked={value}
        onCheck={onChange}
      />
    ),
  },
];

/** All settings, in the order of the form. */
export const SETTINGS: FieldTable<Settings> = [...MAIN, ...MATCHING, ...DEPLOYMENT, ...URLS, ...CHECKS];

const PARTS = [
  { title: undefined, fields: MAIN },
  { title: 'Matching', fields: MATCHING },
  { title: 'Deployment', fields: DEPLOYMENT },
  { title: 'URLs', fields: URLS },
  { title: 'Checks', fields: CHECKS },
];

export function SettingsFields(props: {
  draft: Settings;
  onChange: (next: Partial<Settings>) => void;
  error: ApiError | undefined;
}) {
  return PARTS.map(({ title, fields }) => (
    <fieldset key={title} class="fields">
      {title !== undefined && (
        <legend>
          <h2>{title}</h2>
        </legend>
      )}
      <FormFields {...props} fields={fields} isPart />
    </fieldset>
  ));
}

/** The environments whose deployments are checked. */
function Gates(props: ControlProps<Environment[]> & { label: string; hint: string }) {
  const { value: gated, onChange, label, hint } = props;
  const id = useId();
  return (
    <fieldset class="field" aria-describedby={id}>
      <legend>{label}</legend>
      <div class="choices">
        {ENVIRONMENTS.map((name) => (
          <Check
            key={name}
            label={ENVIRONMENT_LABEL[name]}
            checked={gated.includes(name)}
            onCheck={(isOn) => onChange(ENVIRONMENTS.filter((each) => (each === name ? isOn : gated.includes(each))))}
          />
        ))}
      </div>
      <div class="hint" id={id}>
        {hint}
      </div>
    </fieldset>
  );
}

/** Gates that are not saved yet. The expectations run only for these, because a website may have many. */
const newGates = (gated: readonly Environment[]): Environment[] =>
  gated.filter((each) => !currentWebsite.value?.gated_environments.includes(each));

/** Says how many expectations of an environment fail now: with the gate, its deployments fail until they hold. */
function FailingNow({ environment }: { environment: Environment }) {
  const id = currentWebsite.value?.id ?? 0;
  const run = useResource(`failing-now:${id}:${environment}`, (signal) =>
    runExpectations(id, { environment, against: 'live' }, signal),
  );
  const { passed = 0, failed = 0 } = run.data.value?.run ?? {};
  if (failed === 0) return null;
  return (
    <p class="small warned" role="status">
      {number(failed)} of {counted(passed + failed, 'expectation')} of {environment} {failed === 1 ? 'fails' : 'fail'}{' '}
      now. Deployments fail until {failed === 1 ? 'it holds' : 'they hold'}.{' '}
      <a href={`/websites/${id}/expectations`}>Show</a>
    </p>
  );
}
