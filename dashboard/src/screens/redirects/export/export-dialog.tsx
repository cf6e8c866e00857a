import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Environment } from '../../../../../src/vocabulary/environment.ts';
import { type ApiError, isAbort } from '../../../api/client/api-error.ts';
import type { ExportFormat } from '../../../api/client/wire.ts';
import { exportUrl, fetchExport, filteredExportUrl } from '../../../api/redirects.ts';
import { planHas } from '../../../state/session.ts';
import { toast } from '../../../state/toasts.ts';
import { useSubmit } from '../../../state/resource/use-submit.ts';
import { Button, LinkButton } from '../../../ui/button.tsx';
import { saveFile } from '../../../ui/copy-button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { type FieldTable, FormFields } from '../../../ui/form/form-fields.tsx';
import { currentPlan, requiredPlan } from '../../../ui/page/plan-needed.tsx';
import { Problem } from '../../../ui/page/states.tsx';
import { ENVIRONMENT_OPTIONS } from '../../../ui/text/environment.tsx';
import { isFiltered, type View } from '../view.ts';

/** Formats with all fields. */
const DATA = [
  ['csv', 'CSV'],
  ['json', 'JSON'],
  ['ndjson', 'NDJSON'],
] as const satisfies [ExportFormat, string][];

/** Server configurations with the redirects of one environment. */
const SERVERS = [
  ['nginx', 'nginx map'],
  ['apache', 'Apache .htaccess'],
  ['caddy', 'Caddyfile'],
  ['netlify', 'Netlify _redirects'],
  ['vercel', 'Vercel JSON'],
  ['cloudflare', 'Cloudflare Bulk Redirects'],
] as const satisfies [ExportFormat, string][];

type Format = (typeof DATA | typeof SERVERS)[number][0];

interface Choice {
  /** `matching`: the current redirects that the filters of the list find */
  what: 'matching' | 'draft' | 'live';
  format: Format;
  environment: Environment;
}

const isData = (format: Format): boolean => DATA.some(([name]) => name === format);

/** The fields, with the choices that are possible together. */
const fieldsOf = (what: Choice['what'], hasFilters: boolean): FieldTable<Choice> => [
  {
    name: 'what',
    label: 'Redirects',
    options: [
      ...(hasFilters ? ([['matching', 'Current redirects that match the filters']] as const) : []),
      ['draft', 'Current redirects, including undeployed changes'],
      ['live', 'Live in an environment'],
    ],
  },
  { name: 'format', label: 'Format', options: what === 'matching' ? DATA : [...DATA, ...SERVERS] },
  {
    name: 'environment',
    label: 'Environment',
    options: ENVIRONMENT_OPTIONS,
    isShown: ({ what, format }) => what === 'live' || !isData(format),
  },
];

/** A server gets what is live unless the person chooses otherwise afterwards, so that it never serves drafts by mistake. */
function possible(choice: Choice, isNewFormat: boolean): Choice {
  if (isData(choice.format)) return choice;
  if (choice.what === 'matching') return { ...choice, format: 'csv' };
  return isNewFormat ? { ...choice, what: 'live' } : choice;
}

/** Exports the redirects that the list finds, all of them, or those of one environment. */
export function ExportDialog({ view, onClose }: { view: View; onClose: () => void }) {
  return (
    <Dialog title="Export redirects" onClose={onClose}>
      {planHas('apiAccess') ? <ExportForm view={view} onClose={onClose} /> : <NotInPlan />}
    </Dialog>
  );
}

function ExportForm({ view, onClose }: { view: View; onClose: () => void }) {
  const hasFilters = isFiltered(view);
  const choice = useSignal<Choice>({
    what: hasFilters ? 'matching' : 'draft',
    format: 'csv',
    environment: 'production',
  });
  const { what, format } = choice.value;
  const { error, isBusy, isLossy, submit } = useExport(view, choice, onClose);
  return (
    <form onSubmit={submit}>
      <div class="dialog-body fields">
        <fieldset class="fields" disabled={isBusy.value}>
          <FormFields
            fields={fieldsOf(what, hasFilters)}
            draft={choice.value}
            error={undefined}
            onChange={(change) => {
              choice.value = possible({ ...choice.value, ...change }, 'format' in change);
              // Another format or environment may succeed.
              error.value = undefined;
            }}
          />
        </fieldset>
        {error.value && (isLossy ? <NotExportable error={error.value} /> : <Problem error={error.value} />)}
      </div>
      <footer>
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        {isData(format) ? (
          <LinkButton kind="primary" download href={dataUrl(view, choice.value)} onClick={onClose}>
            Export
          </LinkButton>
        ) : (
          <Button kind="primary" type="submit" isBusy={isBusy.value}>
            {isBusy.value ? 'Exporting…' : isLossy ? 'Export the rest' : 'Export'}
          </Button>
        )}
      </footer>
    </form>
  );
}

/** The browser saves these files itself: they can be too large for the memory of a tab. */
function dataUrl({ filter }: View, { what, format, environment }: Choice): string {
  if (what === 'matching') return filteredExportUrl(format, filter);
  const { website_id } = filter;
  return exportUrl({ website_id, format, ...(what === 'live' && { environment, version: what }) });
}

/** Saves a server configuration. The first request is strict; a second one omits what the format cannot express. */
function useExport({ filter }: View, choice: { value: Choice }, onClose: () => void) {
  const controller = useMemo(() => new AbortController(), []);
  useEffect(() => () => controller.abort(), []);
  const submitting = useSubmit(async () => {
    const { what, format, environment } = choice.value;
    if (what === 'matching' || isData(format)) return;
    const query = {
      website_id: filter.website_id,
      format,
      environment,
      version: what,
      ...(isLossy && { lossy: true }),
    };
    try {
      const file = await fetchExport(query, controller.signal);
      saveFile(file);
      toast(`${file.name} saved`);
      onClose();
    } catch (thrown) {
      if (!isAbort(thrown)) throw thrown;
    }
  });
  const isLossy = isAboutRedirects(submitting.error.value);
  return { ...submitting, isLossy };
}

function NotInPlan() {
  return (
    <div class="dialog-body fields">
      <p>
        Exports require the {requiredPlan('apiAccess')} plan. This account is on the {currentPlan()} plan. Your
        administrator can change it.
      </p>
      <LinkButton href="/account">View plan</LinkButton>
    </div>
  );
}

/** The service lists at most this many. */
const MAX_LISTED = 20;

function NotExportable({ error: { message, issues } }: { error: ApiError }) {
  return (
    <div class="notice" role="alert">
      <div class="fields">
        <p>
          <strong>{message}.</strong> Change {issues.length === 1 ? 'it' : 'them'}, or export the rest: a comment in the
          file then replaces {issues.length === 1 ? 'it' : 'each'}.
          {issues.length === MAX_LISTED && ` The first ${MAX_LISTED}:`}
        </p>
        <ul class="fields">
          {issues.map((issue) => (
            <li key={issue.path + issue.message}>
              <div class="mono break">{issue.path}</div>
              <div class="muted small break">{issue.message}</div>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** True if the error is about single redirects, not about the format or the plan. */
const isAboutRedirects = (error: ApiError | undefined): boolean =>
  error?.code === 'VALIDATION_ERROR' && error.issues.some(({ path }) => path.includes('/'));
