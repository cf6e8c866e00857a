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
import { type FieldTable, FormFields } from '../../../ui/form/form-fields.tsx';
import { saveFile } from '../../../ui/copy-button.tsx';
import { Problem } from '../../../ui/page/states.tsx';
import { type ServerFormat, SERVERS } from './server-formats.ts';

interface Choice {
  format: ServerFormat;
  environment: Environment;
  version: 'live' | 'draft';
}

const FIELDS: FieldTable<Choice> = [
  { name: 'format', label: 'Format', options: SERVERS },
  { name: 'environment', label: 'Environment', options: ENVIRONMENT_OPTIONS },
  {
    name: 'version',
    label: 'Redirects',
    options: [
      ['live', 'Live version'],
      ['draft', 'Current redirects, including undeployed changes'],
    ],
  },
];

interface ExportDialogProps {
  websiteId: number;
  /** the format to start with */
  format: ServerFormat;
  onClose: () => void;
}

/**
 * Exports the redirects of one environment as a server configuration. The first request is strict. If the format cannot
 * express some redirects, the dialog lists them and offers to export the rest.
 */
export function ExportDialog({ websiteId, format, onClose }: ExportDialogProps) {
  const choice = useSignal<Choice>({ format, environment: 'production', version: 'live' });
  const controller = useMemo(() => new AbortController(), []);
  useEffect(() => () => controller.abort(), []);
  const { error, isBusy, submit } = useSubmit(async () => {
    const query = { website_id: websiteId, ...choice.value, ...(isLossy && { lossy: true }) };
    try {
      const file = await fetchExport(query, controller.signal);
      saveFile(file);
      toast(`${file.name} saved`);
      onClose();
    } catch (thrown) {
      if (!isAbort(thrown)) throw thrown;
    }
  });
  const isLossy = error.value !== undefined && isAboutRedirects(error.value);

  return (
    <Dialog title="Export server configuration" onClose={onClose}>
      <form onSubmit={submit}>
        <div class="dialog-body fields">
          <fieldset class="fields" disabled={isBusy.value}>
            <FormFields
              fields={FIELDS}
              draft={choice.value}
              error={undefined}
              onChange={(change) => {
                choice.value = { ...choice.value, ...change };
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
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            {isBusy.value ? 'Exporting…' : isLossy ? 'Export the rest' : 'Export'}
          </Button>
        </footer>
      </form>
    </Dialog>
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
const isAboutRedirects = ({ code, issues }: ApiError): boolean =>
  code === 'VALIDATION_ERROR' && issues.some(({ path }) => path.includes('/'));
