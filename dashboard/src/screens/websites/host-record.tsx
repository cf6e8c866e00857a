import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../../api/client/api-error.ts';
import { getWebsite, listHosts, verifyHost } from '../../api/websites.ts';
import type { HostState, Website } from '../../api/client/wire.ts';
import { isLocalHost, recordTypeOf } from '../../dns-record.ts';
import { capitalized } from '../../format.ts';
import { installation, mayEdit } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { upsertWebsite } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded, Problem } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { hostChange, isConnected, RECHECK_MS } from './host-changes.ts';

type StoredHost = Website['hosts'][number];
interface Found {
  stored: StoredHost | undefined;
  state: HostState | undefined;
}

const WITH_RECORD =
  'Anyone can sign up to this service, so a host serves redirects only after you prove that you control it. Add its record where you manage its DNS, then click Verify.';
/** Hosts that were added while anyone could sign up. */
const WITHOUT_RECORD = 'A host serves redirects only after you click Verify. It needs no DNS record now.';
const LOCAL = 'This host works on this machine. It needs neither a DNS record nor a certificate.';
const NO_ADDRESS =
  'The address of this service is local, so a record with it reaches no visitor. Ask its operator to set PUBLIC_URL to the address that visitors reach.';
const NAMED = 'Add this record where you manage the DNS of the host, then click Check.';
const apexText = (hostname: string): string =>
  `${hostname} is a domain itself, which cannot have a CNAME record. If its DNS provider has ALIAS or ANAME records, or flattens CNAME records, add one with this value. Otherwise add an A record, and an AAAA record for IPv6, with the addresses that ${installation.host} has in DNS.`;

/** Reads a host, and again while it is not connected. `change`: what is new since the last read. */
function useHost(websiteId: number, hostname: string) {
  const isDone = useSignal(false);
  const change = useSignal<string | undefined>(undefined);
  const found = useResource(
    `host:${websiteId}:${hostname}`,
    async (signal): Promise<Found> => {
      const [{ website }, { hosts }] = await Promise.all([
        getWebsite(websiteId, signal),
        listHosts(websiteId, { q: hostname, limit: 100 }, signal),
      ]);
      const isNamed = ({ hostname: name }: { hostname: string }): boolean => name === hostname;
      const [stored, state] = [website.hosts.find(isNamed), hosts.find(isNamed)];
      isDone.value = state === undefined || isConnected(state);
      change.value = (state && hostChange(found.data.peek()?.state, state)) ?? change.value;
      return { stored, state };
    },
    { everyMs: isDone.value ? undefined : RECHECK_MS },
  );
  return { found, change };
}

/** The one record that a host needs next, with buttons that copy it and look it up. */
export function HostRecord(props: { websiteId: number; hostname: string; onClose: () => void }) {
  const { websiteId, hostname, onClose } = props;
  const { found, change } = useHost(websiteId, hostname);
  // Reads of the timer leave the button as it is, with its focus.
  const isAsked = useSignal(false);
  const isLoading = found.isLoading.value;
  useEffect(() => {
    if (!isLoading) isAsked.value = false;
  }, [isLoading]);
  function ask(): void {
    isAsked.value = true;
    found.reload();
  }
  return (
    <Dialog title={hostname} onClose={onClose}>
      <div class="dialog-body fields">
        <p role="status" class={change.value ? 'strong break' : 'unseen'}>
          {change.value && `${change.value}.`}
        </p>
        <Loaded of={found} lines={4} height={28}>
          {({ stored, state }) =>
            stored === undefined ? (
              <p>This website has no such host.</p>
            ) : stored.verified ? (
              <Pointing hostname={hostname} state={state} />
            ) : (
              <Proof websiteId={websiteId} host={stored} onVerified={found.reload} />
            )
          }
        </Loaded>
      </div>
      <footer>
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
        {found.data.value?.stored?.verified && (
          <Button kind="primary" disabled={isAsked.value} onClick={ask}>
            {isAsked.value ? 'Checking…' : 'Check'}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}

/** The addresses of the host in DNS, and the record to set unless it points here. */
function Pointing({ hostname, state }: { hostname: string; state: HostState | undefined }) {
  const type = recordTypeOf(state?.is_apex ?? false, installation.host);
  const { dns, checked_at: at } = state ?? {};
  const isHere = dns?.state === 'here';
  const hasNoAddress = isLocalHost(installation.host);
  if (isLocalHost(hostname)) return <p>{LOCAL}</p>;
  return (
    <>
      <p role="status">
        {isHere ? (
          <span class="badge ok">DNS points here</span>
        ) : (
          <strong>{capitalized(dns?.problem ?? 'the state is not known yet')}.</strong>
        )}{' '}
        {dns && dns.addresses.length > 0 && <span class="mono small break">{dns.addresses.join(', ')}</span>}{' '}
        {at && (
          <span class="small muted">
            checked <Time at={at} />
          </span>
        )}
      </p>
      {!isHere && hasNoAddress && <p>{NO_ADDRESS}</p>}
      {!isHere && !hasNoAddress && (
        <>
          <p class="muted">{NAMED} While this is open, it is checked every 10 s.</p>
          {type === 'ALIAS' && <p>{apexText(hostname)}</p>}
          <CopyField label={`Name of the ${type} record`} text={hostname} isFocused={false} />
          <CopyField label="Value" text={installation.host} isFocused={false} />
        </>
      )}
    </>
  );
}

function Proof(props: { websiteId: number; host: StoredHost; onVerified: () => void }) {
  const { websiteId, onVerified } = props;
  const { hostname, verification } = props.host;
  async function verify(): Promise<void> {
    upsertWebsite((await verifyHost(websiteId, hostname)).website);
    toast(`${hostname} is verified and serves redirects within a second`);
    onVerified();
  }
  const { error, isBusy, submit } = useSubmit(verify);
  // Without a record, Verify decides, not a timer.
  const looksAgain = mayEdit.value && installation.takesSignUps;
  useEffect(() => {
    if (!looksAgain) return;
    const timer = setInterval(() => {
      if (!document.hidden && !isBusy.peek()) void verify().catch(() => {});
    }, RECHECK_MS);
    return () => clearInterval(timer);
  }, [looksAgain, hostname]);
  return (
    <>
      <p class="muted">
        {installation.takesSignUps ? WITH_RECORD : WITHOUT_RECORD}
        {looksAgain && ' While this is open, the record is looked up every 10 s.'}
      </p>
      <CopyField label={`Name of the ${verification.type} record`} text={verification.name} isFocused={false} />
      <CopyField label="Value" text={verification.value} isFocused={false} />
      {error.value && <Problem error={inWords(error.value)} />}
      {mayEdit.value && (
        <div class="actions">
          <Button kind="primary" isBusy={isBusy.value} onClick={submit}>
            {isBusy.value ? 'Looking up…' : 'Verify'}
            <span class="unseen"> {hostname}</span>
          </Button>
        </div>
      )}
    </>
  );
}

/** Says what DNS has instead of the record. */
function inWords(error: ApiError): ApiError {
  if (error.code !== 'NOT_VERIFIED') return error;
  const found = /^hostname: (.*?); add a TXT record/s.exec(error.details)?.[1] ?? error.details;
  const details = `${capitalized(found)}. A new record can take some minutes, at some providers hours. Then retry.`;
  return new ApiError(error.status, error.code, 'Not verified yet', { details });
}
