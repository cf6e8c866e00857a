import { ApiError } from '../../api/client/api-error.ts';
import { getWebsite, listHosts, verifyHost } from '../../api/websites.ts';
import type { HostState, Website } from '../../api/client/wire.ts';
import { recordTypeOf } from '../../dns-record.ts';
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

type StoredHost = Website['hosts'][number];
interface Found {
  stored: StoredHost | undefined;
  state: HostState | undefined;
}

const WITH_RECORD =
  'Anyone can sign up to this service, so a host serves redirects only after you prove that you control it. Add its record where you manage its DNS, then click Verify.';
/** Hosts that were added while anyone could sign up. */
const WITHOUT_RECORD = 'A host serves redirects only after you click Verify. It needs no DNS record now.';
const NAMED = 'Add this record where you manage the DNS of the host, then click Check.';
const apexText = (hostname: string): string =>
  `${hostname} is a domain itself, which cannot have a CNAME record. If its DNS provider has ALIAS or ANAME records, or flattens CNAME records, add one with this value. Otherwise add an A record, and an AAAA record for IPv6, with the addresses that ${installation.host} has in DNS.`;

/** The one record that a host needs next, with buttons that copy it and look it up. */
export function HostRecord(props: { websiteId: number; hostname: string; onClose: () => void }) {
  const { websiteId, hostname, onClose } = props;
  const found = useResource(`host:${websiteId}:${hostname}`, async (signal): Promise<Found> => {
    const [{ website }, { hosts }] = await Promise.all([
      getWebsite(websiteId, signal),
      listHosts(websiteId, { q: hostname, limit: 100 }, signal),
    ]);
    const isNamed = ({ hostname: name }: { hostname: string }): boolean => name === hostname;
    return { stored: website.hosts.find(isNamed), state: hosts.find(isNamed) };
  });
  return (
    <Dialog title={hostname} onClose={onClose}>
      <div class="dialog-body fields">
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
          <Button kind="primary" disabled={found.isLoading.value} onClick={found.reload}>
            {found.isLoading.value ? 'Checking…' : 'Check'}
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
      {!isHere && (
        <>
          <p class="muted">{NAMED}</p>
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
  const { error, isBusy, submit } = useSubmit(async () => {
    upsertWebsite((await verifyHost(websiteId, hostname)).website);
    toast(`${hostname} is verified and serves redirects within a second`);
    onVerified();
  });
  return (
    <>
      <p class="muted">{installation.takesSignUps ? WITH_RECORD : WITHOUT_RECORD}</p>
      <CopyField label={`Name of the ${verification.type} record`} text={verification.name} isFocused={false} />
      <CopyField label="Value" text={verification.value} isFocused={false} />
      {error.value && <Problem error={inWords(error.value)} />}
      {mayEdit.value && (
        <div class="actions">
          <Button kind="primary" disabled={isBusy.value} onClick={submit}>
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
