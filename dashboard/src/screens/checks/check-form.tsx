import { useLayoutEffect } from 'preact/hooks';
import { CHECK_KINDS, type CheckKind, DEFAULT_RATE, MAX_RATE } from '../../../../src/vocabulary/checks.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { startLiveCheck } from '../../api/live-checks.ts';
import { countRedirects } from '../../api/redirects.ts';
import type { Website } from '../../api/client/wire.ts';
import { KINDS } from '../../checks/states.ts';
import { counted, number } from '../../format.ts';
import { go } from '../../router.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { FieldError, Radios } from '../../ui/form/field.tsx';
import type { FieldTable } from '../../ui/form/form-fields.tsx';
import { ResourceDialog } from '../../ui/list/resource-dialog.tsx';
import { ENVIRONMENT_LABEL, ENVIRONMENT_OPTIONS } from '../../ui/text/environment.tsx';
import { firstHost } from '../../urls.ts';

interface Draft {
  kind: CheckKind;
  environment: Environment;
  /** '' for the first verified host */
  base_url: string;
  rate: number;
}

const START: Draft = { kind: 'targets', environment: 'production', base_url: '', rate: DEFAULT_RATE };

const fieldsFor = (website: Website): FieldTable<Draft> => [
  {
    name: 'kind',
    issues: ['kind', 'filter'],
    control: ({ value, onChange, error }, { environment, rate }) => (
      <Radios
        legend="Kind"
        value={value}
        options={CHECK_KINDS.map((kind) => [kind, KINDS[kind].label, KINDS[kind].help] as const)}
        onChoose={onChange}
      >
        <MostTargets {...{ website, environment, rate }} kind={value} />
        <FieldError error={error} />
      </Radios>
    ),
  },
  { name: 'environment', label: 'Environment', options: ENVIRONMENT_OPTIONS },
  {
    name: 'base_url',
    label: 'Public host',
    isCode: true,
    errorOf: ({ code, details }) =>
      code === 'MISSING_PARAMETER' ? details.replace(/^base_url: required: /, '') : undefined,
    hint: ({ environment }) => {
      const host = firstHost(website, environment);
      const preset = host === undefined ? 'The environment has no verified host' : `Empty: https://${host}`;
      return `The origin of own addresses. ${preset}.`;
    },
  },
  {
    name: 'rate',
    label: 'Speed at the public host',
    options: Array.from({ length: MAX_RATE }, (_, at) => [at + 1, `${counted(at + 1, 'request')} a second`] as const),
    hint: `Other hosts get at most ${DEFAULT_RATE} a second.`,
  },
];

/**
 * How many targets the check asks at most, and how long that takes if all are at the public host. Several redirects may
 * have one target, and patterns may have none.
 */
function MostTargets({ website, environment, kind, rate }: Omit<Draft, 'base_url'> & { website: Website }) {
  const filter = { website_id: website.id, environment };
  const { data } = useResource(`check-size:${environment}`, (signal) => countRedirects(filter, signal));
  const count = data.value?.count;
  if (kind === 'urls' || count === undefined) return null;
  return (
    <p class="small muted" role="status">
      {kind === 'targets'
        ? `Requests at most ${counted(count, 'target')}: those of the redirects in ${ENVIRONMENT_LABEL[environment]}.`
        : `Requests at most ${counted(count, 'redirect')}: those in ${ENVIRONMENT_LABEL[environment]}.`}{' '}
      At {number(rate)} a second, {number(count)} take about {timeText(count / rate)}.
    </p>
  );
}

/** `2 hours`, `15 minutes` or `1 minute`. */
function timeText(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return minutes < 120 ? counted(minutes, 'minute') : counted(Math.ceil(minutes / 60), 'hour');
}

/** Starts a check, and opens it. */
export function NewCheckDialog({ website, onClose }: { website: Website; onClose: () => void }) {
  // The dialog is open already: it would begin at Close.
  useLayoutEffect(() => document.querySelector<HTMLInputElement>('dialog input:checked')?.focus(), []);
  return (
    <ResourceDialog
      title="New check"
      verb="Start check"
      start={START}
      fields={fieldsFor(website)}
      onSend={async ({ base_url: base, ...draft }) => {
        const { check } = await startLiveCheck(website.id, { ...draft, base_url: base.trim() || undefined });
        go(`/websites/${website.id}/checks/${check.id}`);
      }}
      onClose={onClose}
    />
  );
}
