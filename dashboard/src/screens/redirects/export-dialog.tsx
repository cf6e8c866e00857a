import './export.css';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { ENVIRONMENTS, type Environment } from '../../../../src/vocabulary/environment.ts';
import { type ApiError, asApiError, isAbort } from '../../api/api-error.ts';
import type { NamedFile } from '../../api/client.ts';
import { fetchExport } from '../../api/redirects.ts';
import { toast } from '../../state/toasts.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Problem } from '../../ui/states.tsx';
import { type ServerFormat, SERVERS } from './export-formats.ts';

interface ExportDialogProps {
  websiteId: number;
  format: ServerFormat;
  onFormat: (format: ServerFormat) => void;
  onClose: () => void;
}

/**
 * The redirects of one environment in another server's words. First asked for whole: what cannot be said is named, and only whoever
 * has read that gets the rest.
 */
export function ExportDialog({ websiteId, format, onFormat, onClose }: ExportDialogProps) {
  const environment = useSignal<Environment>('production');
  const isBusy = useSignal(false);
  const refusal = useSignal<ApiError | undefined>(undefined);
  const under = useMemo(() => new AbortController(), []);
  useEffect(() => () => under.abort(), []);
  const canLeaveOut = refusal.value !== undefined && isAboutRedirects(refusal.value);

  /** What was refused may be possible otherwise. */
  function chosen(choose: () => void): void {
    refusal.value = undefined;
    choose();
  }
  async function make(event: Event): Promise<void> {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    const query = { website_id: websiteId, format, environment: environment.value };
    try {
      const file = await fetchExport({ ...query, ...(canLeaveOut && { lossy: true }) }, under.signal);
      save(file);
      toast(`${file.name} is saved`);
      onClose();
    } catch (thrown) {
      if (isAbort(thrown)) return;
      refusal.value = asApiError(thrown);
      isBusy.value = false;
    }
  }
  return (
    <Dialog title="Export for another server" onClose={onClose}>
      <form onSubmit={(event) => void make(event)}>
        <div class="dialog-body fields">
          <Choices
            format={format}
            environment={environment.value}
            disabled={isBusy.value}
            onFormat={(next) => chosen(() => onFormat(next))}
            onEnvironment={(next) => chosen(() => (environment.value = next))}
          />
          {refusal.value &&
            (canLeaveOut ? <LeftOut error={refusal.value} /> : <Problem error={refusal.value} />)}
        </div>
        <footer>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" disabled={isBusy.value}>
            {isBusy.value ? 'Making the file…' : canLeaveOut ? 'Export the rest' : 'Export'}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Choices({
  format,
  environment,
  disabled,
  onFormat,
  onEnvironment,
}: {
  format: ServerFormat;
  environment: Environment;
  disabled: boolean;
  onFormat: (format: ServerFormat) => void;
  onEnvironment: (environment: Environment) => void;
}) {
  return (
    <>
      <SelectField label="Format" value={format} options={SERVERS} disabled={disabled} onChoose={onFormat} />
      <SelectField
        label="Environment"
        hint="The redirects that are for it, as they are now."
        value={environment}
        options={ENVIRONMENTS.map((name) => [name, ENVIRONMENT_LABEL[name]] as const)}
        disabled={disabled}
        onChoose={onEnvironment}
      />
    </>
  );
}

/** So many at most are named. */
const NAMED = 20;

/** What the format cannot say: the service names the first, and how many there are. */
function LeftOut({ error: { message, issues } }: { error: ApiError }) {
  return (
    <div class="left-out" role="alert">
      <p>
        <strong>{message}.</strong> Change {issues.length === 1 ? 'it' : 'them'}, or export the rest: a
        comment in the file then stands in {issues.length === 1 ? 'its' : 'their'} place.
        {issues.length === NAMED && ` The first ${NAMED}:`}
      </p>
      <ul>
        {issues.map((issue) => (
          <li key={issue.path + issue.message}>
            <span class="mono break">{issue.path}</span>
            <span class="muted small break">{issue.message}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A refusal of single redirects; of the format itself, or of the plan, nothing could be left out. */
const isAboutRedirects = ({ code, issues }: ApiError): boolean =>
  code === 'VALIDATION_ERROR' && issues.some(({ path }) => path.includes('/'));

function save({ name, content }: NamedFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has begun to read it by the next turn; a minute is ample.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
