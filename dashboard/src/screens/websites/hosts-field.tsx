import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ApiError } from '../../api/client/api-error.ts';
import { counted } from '../../format.ts';
import { Field, submitOnCtrlEnter } from '../../ui/form/field.tsx';
import type { ControlProps } from '../../ui/form/form-fields.tsx';
import { type Hosts, readHosts, writeHosts } from './host-lines.ts';

/** Errors that are listed below the text. */
const MAX_SHOWN = 10;
const MIN_ROWS = 3;
const MAX_ROWS = 12;
const EXAMPLES = [
  'www.example.com',
  '*.example.com',
  'test.example.com staging',
  'old.example.com -> https://www.example.com',
].join('\n');

/** The hosts of a website as text, one a line. A line that cannot be read blocks the form until it is corrected. */
export function HostsField({ value: hosts, onChange, error }: ControlProps<Hosts>) {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSignal(writeHosts(hosts));
  const read = readHosts(text.value);
  // Discarded changes, and hosts as the service has stored them.
  const written = writeHosts(hosts);
  useEffect(() => {
    if (read.errors.length === 0 && writeHosts(read.hosts) !== written) text.value = written;
  }, [written]);
  const errors = read.errors.map(({ line, message }) => `Line ${line}: ${message}`);
  const [first = ''] = errors;
  useEffect(() => field.current?.setCustomValidity(first), [first]);
  const at = error === undefined ? -1 : rejectedAt(error, hosts);
  const rejected = error !== undefined && at >= 0 ? `Line ${read.lines[at] ?? at + 1}: ${error}` : error;
  return (
    <Field
      label="Hosts"
      error={first === '' ? rejected : <Errors errors={errors} />}
      hint={<Hint count={read.hosts.length} />}
      control={(wired) => (
        <textarea
          {...wired}
          ref={field}
          data-checked=""
          class="input mono"
          rows={Math.min(MAX_ROWS, Math.max(MIN_ROWS, text.value.split('\n').length + 1))}
          spellcheck={false}
          autocapitalize="off"
          wrap="off"
          placeholder={EXAMPLES}
          value={text.value}
          onKeyDown={submitOnCtrlEnter}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            const next = readHosts(text.value);
            if (next.errors.length === 0) onChange(next.hosts);
          }}
        />
      )}
    />
  );
}

function Errors({ errors }: { errors: readonly string[] }) {
  return (
    <ul>
      {errors.slice(0, MAX_SHOWN).map((error) => (
        <li key={error}>{error}</li>
      ))}
      {errors.length > MAX_SHOWN && <li>{counted(errors.length - MAX_SHOWN, 'more error')}</li>}
    </ul>
  );
}

function Hint({ count }: { count: number }) {
  return (
    <>
      {count > 1 && `${counted(count, 'host')}. `}One per line. Point each at this service in your DNS or proxy; hosts
      that end in .localhost work on this machine immediately. After a host, staging or development selects its
      environment. <code>-&gt; https://www.example.com</code> redirects the whole host; add 302, 307 or 308 for another
      status, and <code>no-path</code> to drop the path.
    </>
  );
}

/** The index of the host that the error message names, the longest if one name contains another; -1 if it names none. */
function rejectedAt(error: string, hosts: Hosts): number {
  const named = hosts
    .filter(({ hostname }) => error.includes(hostname))
    .toSorted((a, b) => b.hostname.length - a.hostname.length);
  return named[0] ? hosts.indexOf(named[0]) : -1;
}

/** The error about the hosts: an issue of one of them, or CONFLICT if another website has a host. */
export function hostsErrorOf(error: ApiError): string | undefined {
  if (error.code === 'CONFLICT') return error.details || error.message;
  return error.issues.find(({ path }) => path.startsWith('hosts'))?.message;
}
