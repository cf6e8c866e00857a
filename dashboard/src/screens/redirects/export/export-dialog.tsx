import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Environment } from '../../../../../src/vocabulary/environment.ts';
import { type ApiError, isAbort } from '../../../api/client/api-error.ts';
import { fetchExport } from '../../../api/redirects.ts';
import { toast } from '../../../state/toasts.ts';
import { useSubmit } from '../../../state/resource/use-submit.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ENVIRONMENT_OPTIONS } from '../../../ui/text/environment.tsx';
import { SelectField } from '../../../ui/form/field.tsx';
import { saveFile } from '../../../ui/copy-button.tsx';
import { Problem } from '../../../ui/page/states.tsx';
import type { ExportFormat } from '../../../api/client/wire.ts';

/** Server configurations with the redirects of one environment. */
export const SERVERS = [
  ['nginx', 'nginx map'],
  ['apache', 'Apache .htaccess'],
  ['caddy', 'Caddyfile'],
  ['netlify', 'Netlify _redirects'],
  ['vercel', 'Vercel JSON'],
  ['cloudflare', 'Cloudflare Bulk Redirects'],
] as const satisfies [ExportFormat, string][];

export type ServerFormat = (typeof SERVERS)[number][0];

interface ExportDialogProps {
  websiteId: number;
  format: ServerFormat;
  onFormat: (format: ServerFormat) => void;
  onClose: () => void;
}

/**
 * Exports the redirects of one environment as a server configuration. The first request is strict. If the format cannot
 * express some redirects, the dialog lists them and offers to export the rest.
 */
export function ExportDialog({ websiteId, format, onFormat, onClose }: ExportDialogProps) {
  const environment = useSignal<Environment>('production');
  const version = useSignal<ExportedVersion>('live');
  const controller = useMemo(() => new AbortController(), []);
  useEffect(() => () => controller.abort(), []);
  const { error, isBusy, submit } = useSubmit(async () => {
    const query = { website_id: websiteId, format, environment: environment.value, version: version.value };
    try {
      const file = await fetchExport({ ...query, ...(isLossy && { lossy: true }) }, controller.signal);
      saveFile(file);
      toast(`${file.name} saved`);
      onClose();
    } catch (thrown) {
      if (!isAbort(thrown)) throw thrown;
    }
  });
  const isLossy = error.value !== undefined && isAboutRedirects(error.value);

  /** Another format or environment may succeed. */
  function change(apply: () => void): void {
    error.value = undefined;
    apply();
  }
  return (
    <Dialog title="Export server configuration" onClose={onClose}>
      <form onSubmit={submit}>
        <div class="dialog-body fields">
          <SelectField
            label="Format"
            value={format}
            options={SERVERS}
            disabled={isBusy.value}
            onChoose={(next) => change(() => onFormat(next))}
          />
          <SelectField
            label="Environment"
            value={environment.value}
            options={ENVIRONMENT_OPTIONS}
            disabled={isBusy.value}
            onChoose={(next) => change(() => (environment.value = next))}
          />
          <SelectField
            label="Redirects"
            value={version.value}
            options={VERSIONS}
            disabled={isBusy.value}
            onChoose={(next) => change(() => (version.value = next))}
          />
          {error.value && (isLossy ? <NotExportable error={error.value} /> : <Problem error={error.value} />)}
        </div>
        <footer>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            {isBusy.value ? 'Exporting…' : isLossy ? 'Export the rest' : 'Export'}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

const VERSIONS = [
  ['live', 'Live version'],
  ['draft', 'Current redirects, including undeployed changes'],
] as const;
type ExportedVersion = (typeof VERSIONS)[number][0];

/** The service lists at most this many. */
const MAX_LISTED = 20;

/** The redirects that the format cannot express. */
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
const isAboutRedirects = ({ code, issues }: ApiError): boolean =>
  code === 'VALIDATION_ERROR' && issues.some(({ path }) => path.includes('/'));
