import { isGateError } from '../../api/deployments.ts';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { Deployment } from '../../api/client/wire.ts';
import { capitalized, counted, duration, timeRange } from '../../format.ts';
import { go, query, setQuery } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayEdit } from '../../state/session.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Check } from '../../ui/form/field.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { versionName } from '../../ui/text/version-name.ts';
import { Time } from '../../ui/text/time.tsx';
import { reviewUrl } from '../../urls.ts';
import { chooseVersion, chosenIn, compareUrl } from './compare-view.ts';
import { deploymentError, isLoopFailure, Warnings } from './deployment-problems.tsx';
import { Changes } from './diff-lines.tsx';
import { FailedGate } from './failed-gate.tsx';
import { reviewedOf } from './review-text.ts';

/** Deployments of one environment, newest first. */
export function Timeline({
  websiteId,
  environment,
  deployments,
  live,
}: {
  websiteId: number;
  environment: Environment;
  deployments: Deployment[];
  live: Deployment | undefined;
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
        {deployments.map((deployment, at) => (
          <Entry
            key={deployment.id}
            deployment={deployment}
            isNewest={at === 0}
            isLive={deployment === live}
            endedAt={replacedAt(deployments, at)}
            former={formerOf(deployments, at)}
          />
        ))}
      </ol>
      <CompareBar websiteId={websiteId} environment={environment} />
    </section>
  );
}

/** The link to compare the chosen versions; stays in view while the history scrolls. */
function CompareBar({ websiteId, environment }: { websiteId: number; environment: Environment }) {
  const [from, to] = chosenIn(query.value);
  const href = from === undefined ? '' : compareUrl(websiteId, { environment, from: `${from}`, to: `${to ?? 'live'}` });
  useKeys(href === '' ? [] : [{ keys: 'c', label: 'Compare the chosen versions', run: () => go(href) }]);
  if (from === undefined) return null;
  return (
    <div class="card row wrap compare-bar" role="group" aria-label="Compare versions">
      <LinkButton kind="primary" href={href}>
        {to === undefined ? `Compare version ${from} with live` : `Compare versions ${from} and ${to}`}
      </LinkButton>
      {to === undefined && <span class="muted small">or choose another version</span>}
      <Button kind="quiet" onClick={() => setQuery({ compare: undefined })}>
        Cancel
      </Button>
    </div>
  );
}

interface EntryProps {
  deployment: Deployment;
  isNewest: boolean;
  isLive: boolean;
  /** when another version went live */
  endedAt: string | undefined;
  /** the version before, if it is among the loaded ones */
  former: Deployment | undefined;
}

function Entry({ deployment, isNewest, isLive, endedAt, former }: EntryProps) {
  const { website_id: websiteId, environment, version, status, changes, error, warnings, note } = deployment;
  const force = (): void => go(reviewUrl(websiteId, environment, reviewedOf(deployment), { force: true }));
  return (
    <li data-status={status} data-live={isLive}>
      <div class="row-facts">
        <strong>{version === null ? STATUS[status] : capitalized(versionName(deployment))}</strong>
        {isLive && <span class="badge ok">Live</span>}
        {deployment.forced && (
          <span class="badge warn" title="Expectations were not checked">
            Forced
          </span>
        )}
        {status !== 'completed' && version !== null && <span class="badge warn">{STATUS[status]}</span>}
        {changes && status !== 'failed' && <Changes {...changes} />}
        <span class="muted small">
          <span class="break">{originOf(deployment)}</span>, <Time at={deployment.created_at} />
          {sizeOf(deployment)}
        </span>
      </div>
      {status === 'completed' && version !== null && <EntryActions {...{ deployment, version, isLive, endedAt }} />}
      {note !== null && <p class="break">{note}</p>}
      {isGateError(error) ? (
        <FailedGate
          deployment={deployment}
          error={error}
          isOpen={isNewest}
          onForce={mayEdit.value && isNewest ? force : undefined}
        />
      ) : (
        error !== null && <p class="failed break">{deploymentError(error)}</p>
      )}
      {/* The error names the only loop. */}
      {(!isLoopFailure(deployment) || warnings.length > 1) && <Warnings warnings={warnings} former={former} />}
    </li>
  );
}

function EntryActions(props: Omit<EntryProps, 'isNewest' | 'former'> & { version: number }) {
  const {
    deployment: { website_id: websiteId, environment, deployed_at: deployedAt },
    version,
    isLive,
    endedAt,
  } = props;
  const chosen = chosenIn(query.value);
  const unseen = () => <span class="unseen"> version {version}</span>;
  return (
    <div class="row wrap entry-actions">
      {!isLive && mayEdit.value && (
        <LinkButton size="small" icon="undo" href={reviewUrl(websiteId, environment, { action: 'rollback', version })}>
          <span class="stack gap-0">
            Roll back to version {version}
            {deployedAt !== null && endedAt !== undefined && (
              <span class="rollback-time">live {timeRange(deployedAt, endedAt)}</span>
            )}
          </span>
        </LinkButton>
      )}
      <LinkButton
        size="small"
        kind="quiet"
        href={compareUrl(websiteId, { environment, from: 'none', to: `${version}` })}
      >
        View{unseen()}
      </LinkButton>
      <Check
        label={<>Compare{unseen()}</>}
        checked={chosen.includes(version)}
        onCheck={() => setQuery({ compare: chooseVersion(chosen, version).join(',') })}
      />
    </div>
  );
}

const STATUS: Record<Deployment['status'], string> = {
  queued: 'Queued',
  running: 'Deploying',
  completed: 'Deployed',
  failed: 'Failed',
};

/** When the version of the deployment at an index of the history, newest first, was replaced. */
const replacedAt = (deployments: readonly Deployment[], at: number): string | undefined =>
  deployments.slice(0, at).findLast(({ status }) => status === 'completed')?.deployed_at ?? undefined;

const formerOf = (deployments: readonly Deployment[], at: number): Deployment | undefined =>
  deployments.slice(at + 1).find(({ status }) => status === 'completed');

/** How a deployment came about, and who requested it. An automatic one may publish changes of others as well. */
function originOf({ kind, source, version, actor: { type, name } }: Deployment): string {
  const who = type === 'key' ? `the API key ${name}` : name;
  const by = type === 'system' ? '' : ` by ${who}`;
  // The name of a completed one has the version.
  if (kind === 'rollback') return `Rollback${version === null ? ` to version ${source?.version}` : ''}${by}`;
  if (kind === 'promote' && source) return `Promoted version ${source.version} of ${source.environment}${by}`;
  if (kind === 'automatic') return type === 'system' ? 'Automatic' : `Automatic after a change${by}`;
  return `Deployed${by || ' manually'}`;
}

/** Timestamps have whole seconds, so shorter durations are omitted. */
function sizeOf({ started_at, deployed_at, redirect_count }: Deployment): string {
  const count = redirect_count === null ? '' : `, ${counted(redirect_count, 'redirect')}`;
  if (started_at === null || deployed_at === null) return count;
  const ms = Date.parse(deployed_at) - Date.parse(started_at);
  return ms >= 1_000 ? `${count} in ${duration(ms)}` : count;
}
