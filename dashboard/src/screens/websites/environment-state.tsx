import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listDeployments } from '../../api/deployments.ts';
import type { Deployment, Website } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { addressOf } from '../../live-url.ts';
import { mayEdit } from '../../state/session.ts';
import { type Resource, useResource } from '../../state/use-resource.ts';
import { EnvironmentBadge } from '../../ui/environment.tsx';
import { Time } from '../../ui/time.tsx';

/** As many as are looked through for the last one that succeeded. */
const LOOKED_AT = 10;
/** The newest of all websites, read at once: most websites need no call of their own. */
const RECENT = 200;

type Deployments = Resource<{ deployments: Deployment[] }>;

export const useRecentDeployments = (): Deployments =>
  useResource('deployments:recent', (signal) => listDeployments({ limit: RECENT }, signal));

interface Place {
  website: Website;
  environment: Environment;
}

/** One environment of a website: its hosts, what is live, and whether something is under way or went wrong. */
export function EnvironmentState({ website, environment, recent }: Place & { recent: Deployments }) {
  const hosts = website.hosts.filter((host) => host.environment === environment);
  return (
    <li>
      <EnvironmentBadge environment={environment} />
      <span class="hosts">
        {hosts.length === 0 && <NoHost website={website} environment={environment} />}
        {hosts.map(({ hostname }) => (
          <a key={hostname} class="break" href={addressOf(hostname)} target="_blank" rel="noreferrer">
            {hostname}
          </a>
        ))}
      </span>
      <span class="state small">
        <StateAmong recent={recent} website={website} environment={environment} />
        {website.held_environments.includes(environment) && (
          <span class="badge warn" title="Nothing is deployed here automatically until the next Deploy">
            held
          </span>
        )}
      </span>
    </li>
  );
}

/** What the newest of all websites tell, where they reach back to what is live here; else what its own do. */
function StateAmong({ website, environment, recent }: Place & { recent: Deployments }) {
  const all = recent.data.value?.deployments;
  if (!all) return <Read deployments={recent} />;
  const here = all.filter((each) => each.website_id === website.id && each.environment === environment);
  const isEnough = all.length < RECENT || here.some(({ status }) => status === 'completed');
  return isEnough ? <State deployments={here} /> : <OwnState website={website} environment={environment} />;
}

function OwnState({ website, environment }: Place) {
  const own = useResource(`deployments:${website.id}:${environment}`, (signal) =>
    listDeployments({ website_id: website.id, environment, limit: LOOKED_AT }, signal),
  );
  return <Read deployments={own} />;
}

function Read({ deployments: { data, error, reload } }: { deployments: Deployments }) {
  if (data.value) return <State deployments={data.value.deployments} />;
  return error.value ? <NotRead onRetry={reload} /> : <span aria-busy="true">&nbsp;</span>;
}

/** A website is nowhere before it has its first host; one for every environment is nobody's duty. */
function NoHost({ website, environment }: Place) {
  const isNeeded = website.hosts.length === 0 && environment === 'production' && mayEdit.value;
  return isNeeded ? (
    <a href={`/websites/${website.id}/settings`}>Add a host</a>
  ) : (
    <span class="muted">no host</span>
  );
}

/** One of many on the screen: the service's own words would stand there as often. */
function NotRead({ onRetry }: { onRetry: () => void }) {
  return (
    <>
      <span class="muted">could not be read</span>
      <button type="button" class="link" onClick={onRetry}>
        Try again
      </button>
    </>
  );
}

function State({ deployments }: { deployments: Deployment[] }) {
  const [newest] = deployments;
  const live = deployments.find(({ status }) => status === 'completed');
  return (
    <>
      {live?.deployed_at ? (
        <span>
          version {live.version}, {counted(live.redirect_count ?? 0, 'redirect')},{' '}
          <span class="muted">
            <Time at={live.deployed_at} />
          </span>
        </span>
      ) : (
        <span class="muted">nothing deployed</span>
      )}
      {newest?.status === 'failed' && <span class="badge danger">last deployment failed</span>}
      {(newest?.status === 'queued' || newest?.status === 'running') && (
        <span class="badge warn">deploying</span>
      )}
    </>
  );
}
