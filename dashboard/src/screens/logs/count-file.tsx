import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { CountedLog, Website } from '../../api/client/wire.ts';
import { countLog } from '../../api/logs.ts';
import { fileSize } from '../../format.ts';
import { FormDialog } from '../../ui/form/form-dialog.tsx';
import { type FieldTable, FormFields, isFilled } from '../../ui/form/form-fields.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { firstHost } from '../../urls.ts';
import { PickFile } from '../import/file/pick-file.tsx';
import { exampleText, resultLines } from './log-text.ts';

interface FileProps {
  website: Website;
  environment: Environment;
}

/** Takes a log file, counts it and says what happened to its lines. */
export function CountFile(props: FileProps) {
  const file = useSignal<File | undefined>(undefined);
  const result = useSignal<(CountedLog & { name: string }) | undefined>(undefined);
  return (
    <>
      <div class="row gap-3 wrap">
        <PickFile
          verb="Choose log file"
          job="Choose a log file"
          label="Log file"
          dropText="Drop the log to count it"
          onFile={(chosen) => (file.value = chosen)}
        />
        <span class="muted small">or drop a .log or .gz anywhere, or let the command follow a log:</span>
      </div>
      <div role="status">{result.value && <Result {...result.value} />}</div>
      {file.value && (
        <CountDialog
          key={file.value}
          {...props}
          file={file.value}
          onCounted={(counts) => (result.value = counts)}
          onClose={() => (file.value = undefined)}
        />
      )}
    </>
  );
}

const Result = ({ name, ...result }: CountedLog & { name: string }) => (
  <div class="log-result stack gap-0 break">
    <strong>{name}</strong>
    {resultLines(result).map((text) => (
      <span key={text}>{text}</span>
    ))}
    {result.examples.map((example) => (
      <span key={example.line} class="small muted">
        {exampleText(example)} <code>{example.value}</code>
      </span>
    ))}
  </div>
);

interface Draft {
  stream: string;
  host: string;
}

const fieldsOf = (hosts: readonly string[]): FieldTable<Draft> => [
  {
    name: 'stream',
    label: 'Stream',
    required: true,
    isCode: true,
    autofocus: true,
    hint: 'The server of the log. Its next logs go to the same stream: lines at the start that were counted before are skipped.',
  },
  {
    name: 'host',
    label: 'Host of lines without one',
    options: hosts.map((host) => [host, host]),
    isShown: () => hosts.length > 0,
  },
];

interface DialogProps extends FileProps {
  file: File;
  onCounted: (result: CountedLog & { name: string }) => void;
  onClose: () => void;
}

function CountDialog({ website, environment, file, onCounted, onClose }: DialogProps) {
  const hosts = website.hosts.map(({ hostname }) => hostname).filter((hostname) => !hostname.startsWith('*.'));
  const fields = fieldsOf(hosts);
  const draft = useSignal<Draft>({ stream: 'main', host: firstHost(website, environment) ?? hosts[0] ?? '' });
  const sent = useSignal(0);
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  async function send(): Promise<void> {
    sent.value = 0;
    const { stream, host } = draft.value;
    const query = { stream: stream.trim(), environment, host: host || undefined };
    const onSent = (bytes: number, total: number): void => void (sent.value = total === 0 ? 1 : bytes / total);
    const { signal } = controller.current;
    onCounted({ name: file.name, ...(await countLog(website.id, file, query, { onSent, signal })) });
    onClose();
  }
  return (
    <FormDialog
      title="Count a log"
      verb="Count"
      isReady={isFilled(fields, draft.value)}
      isDisposable
      onSend={send}
      onClose={onClose}
    >
      {(error, isBusy) => (
        <>
          <p class="break">
            <strong>{file.name}</strong> <span class="muted">({fileSize(file.size)})</span>
          </p>
          <FormFields
            fields={fields}
            draft={draft.value}
            onChange={(changes) => (draft.value = { ...draft.value, ...changes })}
            error={error}
          />
          {isBusy && (
            <ProgressBar
              label={sent.value < 1 ? 'Uploading file' : 'Counting lines'}
              part={sent.value < 1 ? sent.value : undefined}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
