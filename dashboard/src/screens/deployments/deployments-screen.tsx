import './deployments.css';
import { useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { fetchDiff, listDeployments } from '../../api/deployments.ts';
import type { Website } from '../../api/client/wire.ts';
import { query } from '../../router.ts';
import { environmentStates } from '../../state/environments.ts';
import { useResource, useOnChange } from '../../state/resource/use-resource.ts';
import { Page } from '../../ui/page/page.tsx';
import { Problem, Skeleton } from '../../ui/page/states.tsx';
import { environmentIn } from '../../urls.ts';
import { AgentsCard } from './agents-card.tsx';
import { Pending } from './pending.tsx';
import { Timeline } from './timeline.tsx';

const LIMIT = 100;
/** Interval at which deployments of others appear that changed nothing, such as failed ones. */
const POLL_MS = 10_000;
const POLL_MS_WHILE_RUNNING = 1_500;

/** Live version, undeployed changes and history of each environment. */
export function DeploymentsScreen({ website }: { website: Website }) {
  const environment = environmentIn(query.value);
  return (
    <Page title="Deployments" lead={leadOf(website, environment)}>
      <EnvironmentDeployments key={environment} website={website} environment={environment} />
    </Page>
  );
}

function leadOf({ auto_deploy: isAutomatic, held_environments: held }: Website, environment: Environment): string {
  if (!isAutomatic) return 'Changes go live when you deploy them.';
  return held.includes(environment)
    ? 'On hold: changes go live when you deploy them.'
    : 'Changes are deployed automatically.';
}

function EnvironmentDeployments({ website, environment }: { website: Website; environment: Environment }) {
  const target = { website_id: website.id, environment };
  const state = environmentStates.value.find((each) => each.environment === environment);
  const isRunning = useSignal(false);
  const list = useResource(
    `deployments:${website.id}:${environment}`,
    async (signal) => {
      const page = await listDeployments({ ...target, limit: LIMIT }, signal);
      isRunning.value = page.deployments.some(({ status }) => status === 'queued' || status === 'running');
      return page;
    },
    { everyMs: isRunning.value || state?.deploying ? POLL_MS_WHILE_RUNNING : POLL_MS },
  );
  const deployments = list.data.value?.deployments;
  const live = deployments?.find(({ status }) => status === 'completed');
  // The frame reads the states: at intervals, and after each write of this page.
  useOnChange(state && `${state.live_version} ${state.deploying}`, list.reload);
  const diff = useResource(`diff:${website.id}:${environment}`, (signal) => fetchDiff(target, signal));
  // The previous difference stays until the next one arrives, so that the content below does not move.
  useOnChange(`${live?.version} ${isRunning.value} ${state?.waiting_changes}`, diff.reload);
  if (!deployments || (!diff.data.value && !diff.error.value)) {
    return list.error.value ? <Problem error={list.error.value} onRetry={list.reload} /> : <Skeleton lines={8} />;
  }
  return (
    <>
      <Pending {...{ website, environment, live }} diff={diff.data.value} error={diff.error.value} />
      <AgentsCard website={website} environment={environment} />
      <Timeline websiteId={website.id} environment={environment} deployments={deployments} live={live} />
    </>
  );
}
