import type { Deployment } from '../../api/wire.ts';
import { counted, duration } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { Empty } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import type { DeployActions } from './deploy-actions.ts';
import { Changes } from './diff-lines.tsx';

/** Deployments of one environment, newest first. */
export function Timeline({
  websiteId,
  deployments,
  liveVersion,
  actions,
}: {
  websiteId: number;
  deployments: Deployment[];
  liveVersion: number | null;
  actions: DeployActions;
}) {
  if (deployments.length === 0) {
    return (
      <Empty
        icon="deployments"
        title="No deployments yet"
        actions={<LinkButton href={`/websites/${websiteId}/redirects`}>View redirects</LinkButton>}
      >
        Deployments to this environment appear here. You can roll back to each of them.
      </Empty>
    );
  }
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">History</h2>
      <ol class="timeline">
        {deployments.map((deployment) => (
          <Entry
            key={deployment.id}
            deployment={deployment}
            isLive={deployment.version !== null && deployment.version === liveVersion}
            actions={actions}
          />
        ))}
      </ol>
    </section>
  );
}

function Entry({ deployment, isLive, actions }: { deployment: Deployment; isLive: boolean; actions: DeployActions }) {
  const { version, status, changes, error, warnings, created_at } = deployment;
  return (
    <li data-status={status} data-live={isLive}>
      <div class="entry-head">
        <strong>{version === null ? STATUS[status] : `Version ${version}`}</strong>
        {isLive && <span class="badge ok">Live</span>}
        {status !== 'completed' && version !== null && <span class="badge warn">{STATUS[status]}</span>}
        {changes && <Changes {...changes} />}
        <span class="muted small">
          {originOf(deployment)}, <Time at={created_at} />
          {sizeOf(deployment)}
        </span>
      </div>
      {status === 'completed' && !isLive && version !== null && mayEdit.value && (
        <Button
          size="small"
          icon="undo"
          aria-label={`Roll back to version ${version}`}
          onClick={() => actions.rollBackTo(version)}
        >
          Roll back
        </Button>
      )}
      {error !== null && <p class="failed break">{error}</p>}
      {warnings.map(({ code, old_paths }) => (
        <p key={code + old_paths.join()} class="warned break">
          {code === 'REDIRECT_LOOP' ? 'Loop: ' : `${code}: `}
          <code>{old_paths.join(' → ')}</code>
        </p>
      ))}
    </li>
  );
}

const STATUS: Record<Deployment['status'], string> = {
  queued: 'Queued',
  running: 'Deploying',
  completed: 'Deployed',
  failed: 'Failed',
};

function originOf({ kind, source }: Deployment): string {
  if (kind === 'rollback') return `Rollback to version ${source?.version}`;
  if (kind === 'promote' && source)
    return `Promoted version ${source.version} of ${ENVIRONMENT_LABEL[source.environment].toLowerCase()}`;
  return kind === 'automatic' ? 'Automatic' : 'Manual';
}

/** Timestamps have whole seconds, so shorter durations are omitted. */
function sizeOf({ started_at, deployed_at, redirect_count }: Deployment): string {
  const count = redirect_count === null ? '' : `, ${counted(redirect_count, 'redirect')}`;
  if (started_at === null || deployed_at === null) return count;
  const ms = Date.parse(deployed_at) - Date.parse(started_at);
  return ms >= 1_000 ? `${count} in ${duration(ms)}` : count;
}
