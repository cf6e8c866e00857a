import './deployments.css';
import { useRef } from 'preact/hooks';
import { ENVIRONMENTS, type Environment, isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { fetchDiff, listDeployments } from '../../api/deployments.ts';
import type { Diff, Website } from '../../api/wire.ts';
import { type Params, query } from '../../router.ts';
import { loadWebsites, websites } from '../../state/websites.ts';
import { useResource } from '../../state/use-resource.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { createActions } from './deploy-actions.ts';
import { Pending } from './pending.tsx';
import { Timeline } from './timeline.tsx';

const LIMIT = 100;
/** A deployment takes some ten milliseconds to some seconds. */
const POLL_MS = 1_500;

/** What is live in each environment, what is not yet, and what was before. */
export function DeploymentsScreen({ params }: { params: Params }) {
  const website = websites.value?.find(({ id }) => String(id) === params['websiteId']);
  const named = query.value.get('environment') ?? '';
  const environment = isEnvironment(named) ? named : 'production';
  if (!website) return null;
  return (
    <Page
      title="Deployments"
      lead={
        website.auto_deploy
          ? 'Every change is deployed automatically.'
          : 'Changes go live when you deploy them.'
      }
    >
      <Tabs
        label="Environment"
        tabs={ENVIRONMENTS.map((each) => ({
          href: `?environment=${each}`,
          isHere: each === environment,
          label: (
            <>
              {ENVIRONMENT_LABEL[each]}
              {website.held_environments.includes(each) && <span class="badge warn">held</span>}
            </>
          ),
        }))}
      />
      <OfEnvironment key={environment} website={website} environment={environment} />
    </Page>
  );
}

function OfEnvironment({ website, environment }: { website: Website; environment: Environment }) {
  const of = { website_id: website.id, environment };
  const list = useResource(
    `deployments:${website.id}:${environment}`,
    (signal) => listDeployments({ ...of, limit: LIMIT }, signal),
    { everyMs: POLL_MS },
  );
  const deployments = list.data.value?.deployments;
  const live = deployments?.find(({ status }) => status === 'completed');
  const isUnderWay = deployments?.some(({ status }) => status === 'queued' || status === 'running') ?? false;
  // Read again whenever another version is live: what is still to be deployed has changed with it.
  const diff = useResource(`diff:${website.id}:${environment}:${live?.version}:${isUnderWay}`, (signal) =>
    fetchDiff(of, signal),
  );
  function changed(): void {
    list.reload();
    diff.reload();
    void loadWebsites();
  }
  const actions = createActions({ website, environment, liveVersion: live?.version ?? null, changed });
  // Until the next is read the difference before stays, so that nothing below it moves.
  const known = useRef<Diff>(undefined);
  known.current = diff.data.value ?? known.current;
  if (!deployments || (!known.current && !diff.error.value)) {
    return list.error.value ? (
      <Problem error={list.error.value} onRetry={list.reload} />
    ) : (
      <Skeleton lines={8} />
    );
  }
  return (
    <>
      <Pending
        website={website}
        environment={environment}
        live={live}
        diff={known.current}
        error={diff.error.value}
        actions={actions}
      />
      <Timeline
        websiteId={website.id}
        deployments={deployments}
        liveVersion={live?.version ?? null}
        actions={actions}
      />
    </>
  );
}
