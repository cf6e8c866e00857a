import { ApiError } from '../../api/client/api-error.ts';
import { verifyHost } from '../../api/websites.ts';
import type { Website } from '../../api/client/wire.ts';
import { capitalized } from '../../format.ts';
import { installation, mayEdit } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { upsertWebsite } from '../../state/websites.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Problem } from '../../ui/page/states.tsx';

const WITH_RECORD =
  'Anyone can sign up to this service, so a host serves redirects only after you prove that you control it. Add its record where you manage its DNS, then click Verify.';
/** Hosts that were added while anyone could sign up. */
const WITHOUT_RECORD = 'A host serves redirects only after you click Verify. It needs no DNS record now.';

/** The state of each host, while one is not verified: its DNS record, and a button that looks it up. */
export function HostProofs({ website }: { website: Website }) {
  const hosts = website.hosts.filter(({ verified }) => !verified);
  if (hosts.length === 0) return null;
  return (
    <section class="card host-proofs" aria-labelledby="host-proofs">
      <header>
        <h2 id="host-proofs">{hosts.length === 1 ? 'Verify your host' : 'Verify your hosts'}</h2>
      </header>
      <p class="body">{installation.takesSignUps ? WITH_RECORD : WITHOUT_RECORD}</p>
      {hosts.map((host) => (
        <HostProof key={host.hostname} websiteId={website.id} host={host} isOpen={hosts.length === 1} />
      ))}
      {website.hosts
        .filter(({ verified }) => verified)
        .map(({ hostname }) => (
          <p key={hostname} class="proven">
            <span class="mono break">{hostname}</span> <span class="badge ok">Verified</span>
          </p>
        ))}
    </section>
  );
}

function HostProof(props: { websiteId: number; host: Website['hosts'][number]; isOpen: boolean }) {
  const { websiteId, isOpen } = props;
  const { hostname, verification } = props.host;
  const { error, isBusy, submit } = useSubmit(async () => {
    upsertWebsite((await verifyHost(websiteId, hostname)).website);
    toast(`${hostname} is verified and serves redirects within a second`);
  });
  return (
    <details open={isOpen}>
      <summary>
        <span class="mono break">{hostname}</span> <span class="badge warn">Not verified</span>
      </summary>
      <div class="fields">
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
      </div>
    </details>
  );
}

/** Says what DNS has instead of the record. */
function inWords(error: ApiError): ApiError {
  if (error.code !== 'NOT_VERIFIED') return error;
  const found = /^hostname: (.*?); add a TXT record/s.exec(error.details)?.[1] ?? error.details;
  const details = `${capitalized(found)}. A new record can take some minutes, at some providers hours. Then retry.`;
  return new ApiError(error.status, error.code, 'Not verified yet', { details });
}
