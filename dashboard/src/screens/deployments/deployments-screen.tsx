import './deployments.css';
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ENVIRONMENTS, type Environment } from '../../../../src/vocabulary/environment.ts';
import { fetchDiff, listDeployments } from '../../api/deployments.ts';
import type { Diff, Website } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { type Params, query } from '../../router.ts';
import { loadWebsites, useWebsite } from '../../state/websites.ts';
import { useResource } from '../../state/use-resource.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { environmentIn } from '../../urls.ts';
import { AgentsCard } from './agents-card.tsx';
import { createActions } from './deploy-actions.ts';
import { DeployDialog, type DeployRequest } from './deploy-dialog.tsx';
import { Pending } from './pending.tsx';
import { type Removals, removalsText } from './removals.ts';
import { Timeline } from './timeline.tsx';

const LIMIT = 100;
const POLL_MS = 1_500;

/** Live version, undeployed changes and history of each environment. */
export function DeploymentsScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  const environment = environmentIn(query.value);
  if (!website) return null;
  return (
    <Page
      title="Deployments"
      lead={website.auto_deploy ? 'Changes are deployed automatically.' : 'Changes go live when you deploy them.'}
    >
      <Tabs
        label="Environment"
        tabs={ENVIRONMENTS.map((each) => ({
          href: `?environment=${each}`,
          isCurrent: each === environment,
          label: (
            <>
              {ENVIRONMENT_LABEL[each]}
              {website.held_environments.includes(each) && <span class="badge warn">On hold</span>}
            </>
          ),
        }))}
      />
      <EnvironmentDeployments key={environment} website={website} environment={environment} />
    </Page>
  );
}

function EnvironmentDeployments({ website, environment }: { website: Website; environment: Environment }) {
  const target = { website_id: website.id, environment };
  const list = useResource(
    `deployments:${website.id}:${environment}`,
    (signal) => listDeployments({ ...target, limit: LIMIT }, signal),
    { everyMs: POLL_MS },
  );
  const deployments = list.data.value?.deployments;
  const live = deployments?.find(({ status }) => status === 'completed');
  const isRunning = deployments?.some(({ status }) => status === 'queued' || status === 'running') ?? false;
  // The key includes the live version: another one changes the difference.
  const diff = useResource(`diff:${website.id}:${environment}:${live?.version}:${isRunning}`, (signal) =>
    fetchDiff(target, signal),
  );
  function changed(): void {
    list.reload();
    diff.reload();
    void loadWebsites();
  }
  // Keeps the previous difference until the next one arrives, so that the content below does not move.
  const latestDiff = useRef<Diff>(undefined);
  latestDiff.current = diff.data.value ?? latestDiff.current;
  const requested = useSignal<DeployRequest | undefined>(undefined);
  const removals = useSignal<Removals | undefined>(undefined);
  const actions = createActions({
    website,
    environment,
    liveVersion: live?.version ?? null,
    changes: latestDiff.current?.counts,
    request: (next) => (requested.value = next),
    ask: (found) => (removals.value = found),
    changed,
  });
  if (!deployments || (!latestDiff.current && !diff.error.value)) {
    return list.error.value ? <Problem error={list.error.value} onRetry={list.reload} /> : <Skeleton lines={8} />;
  }
  return (
    <>
      <Pending
        website={website}
        environment={environment}
        live={live}
        diff={latestDiff.current}
        error={diff.error.value}
        actions={actions}
      />
      <AgentsCard websiteId={website.id} environment={environment} />
      <Timeline
        websiteId={website.id}
        environment={environment}
        deployments={deployments}
        liveVersion={live?.version ?? null}
        actions={actions}
      />
      <DeployDialog asked={requested} />
      <ConfirmRemovals asked={removals} />
    </>
  );
}

function ConfirmRemovals({ asked }: { asked: Signal<Removals | undefined> }) {
  const removals = asked.value;
  if (!removals) return null;
  const { removed, verb, proceed } = removals;
  function close(): void {
    // Another question may have replaced this one.
    if (asked.value === removals) asked.value = undefined;
  }
  return (
    <Confirm
      key={removed}
      title={`Remove ${counted(removed, 'redirect')}?`}
      verb={verb}
      onConfirm={proceed}
      onClose={close}
    >
      {removalsText(removals)}
    </Confirm>
  );
}
