import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listDeployments } from '../../api/deployments.ts';
import type { Deployment, Website } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { hostUrl } from '../../urls.ts';
import { mayEdit } from '../../state/session.ts';
import { type Resource, useResource } from '../../state/resource/use-resource.ts';
import { EnvironmentBadge } from '../../ui/text/environment.tsx';
import { Time } from '../../ui/text/time.tsx';

/** Number of deployments searched for the last successful one. */
const SEARCHED = 10;
/** Newest deployments of all websites in one request, so that most websites need no request of their own. */
const RECENT = 200;

type Deployments = Resource<{ deployments: Deployment[] }>;

export const useRecentDeployments = (): Deployments =>
  useResource('deployments:recent', (signal) => listDeployments({ limit: RECENT }, signal));

interface EnvironmentProps {
  website: Website;
  environment: Environment;
  recent: Deployments;
}

/** One environment of a website: its hosts, live version and running or failed deployment. */
export function EnvironmentState({ website, environment, recent }: EnvironmentProps) {
  const hosts = website.hosts.filter((host) => host.environment === environment);
  // Other environments need not have a host.
  const needsHost = website.hosts.length === 0 && environment === 'production' && mayEdit.value;
  return (
    <li>
      <EnvironmentBadge environment={environment} />
      <span class="stack gap-0 hosts">
        {needsHost && <a href={`/websites/${website.id}/settings`}>Add a host</a>}
        {hosts.length === 0 && !needsHost && <span class="muted">No host</span>}
        {hosts.map((host) => (
          <Host key={host.hostname} websiteId={website.id} host={host} />
        ))}
      </span>
      <span class="row-facts small">
        <DeploymentState recent={recent} website={website} environment={environment} />
        {website.held_environments.includes(environment) && (
          <span class="badge warn" title="No automatic deployments until you click Deploy">
            On hold
          </span>
        )}
      </span>
    </li>
  );
}

/** A link to the host; of one that is not verified, a link to its DNS record. A wildcard is not an address. */
function Host({ websiteId, host }: { websiteId: number; host: Website['hosts'][number] }) {
  const { hostname, verified, redirect_to: target } = host;
  if (!verified) {
    return (
      <span class="break">
        {hostname}{' '}
        <a href={`/websites/${websiteId}/settings`} aria-label={`Verify ${hostname}`}>
          Verify
        </a>
      </span>
    );
  }
  return (
    <span class="break">
      {hostname.startsWith('*.') ? (
        hostname
      ) : (
        <a href={hostUrl(hostname)} target="_blank" rel="noreferrer">
          {hostname}
        </a>
      )}
      {target && <span class="muted small"> →&nbsp;{target.url}</span>}
    </span>
  );
}

/** Uses the recent deployments if they include the live one; otherwise loads the environment's own. */
function DeploymentState({ website, environment, recent }: EnvironmentProps) {
  const all = recent.data.value?.deployments;
  const own = all?.filter((each) => each.website_id === website.id && each.environment === environment);
  const isEnough = !all || all.length < RECENT || own?.some(({ status }) => status === 'completed');
  return isEnough ? <State of={recent} own={own} /> : <OwnState websiteId={website.id} environment={environment} />;
}

function OwnState({ websiteId, environment }: { websiteId: number; environment: Environment }) {
  const found = useResource(`deployments:${websiteId}:${environment}`, (signal) =>
    listDeployments({ website_id: websiteId, environment, limit: SEARCHED }, signal),
  );
  return <State of={found} own={found.data.value?.deployments} />;
}

/** An error is short, because it may appear for every environment on the screen. */
function State({ of: { error, reload }, own }: { of: Deployments; own: Deployment[] | undefined }) {
  if (!own) {
    if (!error.value) return <span aria-busy="true">&nbsp;</span>;
    return (
      <>
        <span class="muted">Could not load</span>
        <button type="button" class="link" onClick={reload}>
          Retry
        </button>
      </>
    );
  }
  const newest = own[0]?.status;
  const live = own.find(({ status }) => status === 'completed');
  return (
    <>
      {live?.deployed_at ? (
        <span>
          Version {live.version}, {counted(live.redirect_count ?? 0, 'redirect')},{' '}
          <span class="muted">
            <Time at={live.deployed_at} />
          </span>
        </span>
      ) : (
        <span class="muted">Not deployed</span>
      )}
      {newest === 'failed' && <span class="badge danger">Last deployment failed</span>}
      {(newest === 'queued' || newest === 'running') && <span class="badge warn">Deploying</span>}
    </>
  );
}
