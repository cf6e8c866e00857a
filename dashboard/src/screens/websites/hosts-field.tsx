import { useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
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
const EXAMPLE = 'www.example.com';

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
  const rejected = error?.split('\n').map((message) => {
    const at = rejectedAt(message, hosts);
    return at < 0 ? message : `Line ${read.lines[at] ?? at + 1}: ${message}`;
  });
  return (
    <Field
      label="Hosts"
      error={first !== '' ? <Errors errors={errors} /> : rejected && <Errors errors={rejected} />}
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
          placeholder={EXAMPLE}
          value={text.value}
          onKeyDown={submitOnEnter}
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

/** Most users enter one host: the syntax of the others is folded. */
const Hint = ({ count }: { count: number }) => (
  <>
    {count > 1 && `${counted(count, 'host')}. `}Point each host at this service in your DNS or proxy. Hosts that end in
    .localhost work on this machine immediately.
    <details>
      <summary>Several hosts, staging and domain redirects</summary>
      <ul>
        <li>One host per line; Shift+Enter begins the second.</li>
        <li>
          <code>test.example.com staging</code>: staging or development selects the environment.
        </li>
        <li>
          <code>old.example.com -&gt; https://www.example.com</code> redirects the whole host. Add 302, 307 or 308 for
          another status, and <code>no-path</code> to drop the path.
        </li>
      </ul>
    </details>
  </>
);

/** Most websites begin with one host, so Enter after a single line submits; Shift+Enter begins another line. */
function submitOnEnter(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  const { key, shiftKey, isComposing, currentTarget: field } = event;
  const isOneLine = field.value.trim() !== '' && !field.value.includes('\n');
  if (key !== 'Enter' || shiftKey || isComposing || !isOneLine) return submitOnCtrlEnter(event);
  event.preventDefault();
  field.form?.requestSubmit();
}

/** The index of the host that the error message names, the longest if one name contains another; -1 if it names none. */
function rejectedAt(error: string, hosts: Hosts): number {
  const named = hosts
    .filter(({ hostname }) => error.includes(hostname))
    .toSorted((a, b) => b.hostname.length - a.hostname.length);
  return named[0] ? hosts.indexOf(named[0]) : -1;
}

/** The errors about the hosts, one a line: the issues of all of them, or CONFLICT if another website has a host. */
export function hostsErrorOf(error: ApiError): string | undefined {
  if (error.code === 'CONFLICT') return error.details || error.message;
  const found = error.issues.filter(({ path }) => path.startsWith('hosts')).map(({ message }) => message);
  return found.length === 0 ? undefined : found.join('\n');
}
