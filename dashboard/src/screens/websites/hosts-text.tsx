import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { counted } from '../../format.ts';
import { Icon } from '../../ui/icons.tsx';
import { type Hosts, readHosts, writeHosts } from './host-lines.ts';

/** Errors that are listed below the text. */
const MAX_SHOWN = 10;

/** Many hosts as text, one a line. A line that cannot be read blocks the form until it is corrected. */
export function HostsText({ hosts, onChange }: { hosts: Hosts; onChange: (hosts: Hosts) => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSignal(writeHosts(hosts));
  const read = readHosts(text.value);
  // Discarded changes, and hosts as the service has stored them.
  const written = writeHosts(hosts);
  useEffect(() => {
    if (read.errors.length === 0 && writeHosts(read.hosts) !== written) text.value = written;
  }, [written]);
  const [first] = read.errors;
  useEffect(() => {
    field.current?.setCustomValidity(first ? `Line ${first.line}: ${first.message}` : '');
  }, [first?.line, first?.message]);
  return (
    <>
      <textarea
        ref={field}
        class="input mono"
        aria-label="Hosts, one per line"
        aria-invalid={first ? 'true' : undefined}
        aria-describedby="hosts-text-more"
        rows={12}
        spellcheck={false}
        wrap="off"
        placeholder={
          'www.example.com\n*.example.com\ntest.example.com staging\nold.example.com -> https://www.example.com'
        }
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          const next = readHosts(text.value);
          if (next.errors.length === 0) onChange(next.hosts);
        }}
      />
      <div id="hosts-text-more">
        {first && (
          <div class="wrong" role="alert">
            <Icon name="warning" />
            <ul>
              {read.errors.slice(0, MAX_SHOWN).map(({ line, message }) => (
                <li key={line}>
                  Line {line}: {message}
                </li>
              ))}
              {read.errors.length > MAX_SHOWN && <li>{counted(read.errors.length - MAX_SHOWN, 'more error')}</li>}
            </ul>
          </div>
        )}
        <div class="hint">
          {counted(read.hosts.length, 'host')}. After a host, staging or development selects its environment.{' '}
          <code>-&gt; https://www.example.com</code> redirects the whole host; add 302, 307 or 308 for another status,
          and <code>no-path</code> to drop the path.
        </div>
      </div>
    </>
  );
}
