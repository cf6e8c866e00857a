import { isGateError } from '../../api/deployments.ts';
import { useSignal } from '@preact/signals';
import { useRef, useEffect } from 'preact/hooks';
import type { Deployment } from '../../api/client/wire.ts';
import { capitalized } from '../../format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { versionName } from '../../ui/text/version-name.ts';
import { Changes } from './diff-lines.tsx';
import { deploymentError, isLoopFailure, Warnings } from './deployment-problems.tsx';
import { FailedGate } from './failed-gate.tsx';
import { liveText, useAgents } from './use-agents.ts';
import { liveTime, type Publication, type Publish } from './use-publish.ts';

const POLL_MS = 1_000;

/** A deployment from the click to its end: in progress, live with Undo, or failed with the reason. */
export function PublicationCard(props: { publish: Publish; shown: Publication; onForce: () => void }) {
  const {
    publish,
    shown: { deployment, ms, isUndo },
    onForce,
  } = props;
  const { website_id: websiteId, status, version, environment, changes, warnings } = deployment;
  const isLive = status === 'completed';
  const title = useStatusText(deployment, ms);
  const card = useRef<HTMLElement>(null);
  // The button that had the focus is gone.
  useEffect(() => card.current?.focus(), []);
  const error = publish.error.value;
  return (
    <section ref={card} class="card publication" data-status={status} tabIndex={-1} aria-label="Deployment">
      <header>
        <div role="status">
          <h2 class="row">
            {isLive && <Icon name="check" />} {title}
          </h2>
          {isLive && (
            <p class="muted small">
              {isUndo ? 'Undone. ' : ''}
              {capitalized(versionName(deployment))} of {environment}: {changes && <Changes {...changes} />}
            </p>
          )}
        </div>
        <div class="actions">
          {isLive && version !== null && version > 1 && (
            <Button icon="undo" isBusy={publish.isBusy.value} onClick={() => void publish.undo()}>
              Undo
            </Button>
          )}
          <LinkButton href={`/websites/${websiteId}/deployments?environment=${environment}`}>History</LinkButton>
        </div>
      </header>
      {(status === 'failed' || warnings.length > 0 || error) && (
        <div class="body">
          {status === 'failed' && <Failure deployment={deployment} onForce={onForce} />}
          <Warnings warnings={warnings} />
          {error && <Problem error={error} />}
        </div>
      )}
    </section>
  );
}

/** The state of the deployment. While agents lack the version, they are asked each second. */
function useStatusText(
  { status, website_id: websiteId, environment, version }: Deployment,
  ms: number | undefined,
): string {
  const isLive = status === 'completed';
  const since = useRef(performance.now());
  const everywhere = useSignal<number | undefined>(undefined);
  const agents = useAgents(websiteId, environment, isLive && everywhere.value === undefined ? POLL_MS : undefined);
  const isEverywhere = isLive && agents.length > 0 && agents.every((agent) => agent.version === version);
  useEffect(() => {
    if (isEverywhere) everywhere.value ??= performance.now() - since.current;
  }, [isEverywhere]);
  if (isLive) return liveText(agents, version, timeText(ms, everywhere.value));
  if (status === 'failed') return 'Not deployed';
  return status === 'queued' ? 'Waiting to start' : 'Deploying';
}

/** `ms`: until it was live here; `more`: from then until it was live everywhere. */
const timeText = (ms: number | undefined, more = 0): string =>
  ms === undefined ? '' : `, ${liveTime(Math.max(ms, more))}`;

function Failure({ deployment, onForce }: { deployment: Deployment; onForce: () => void }) {
  const { website_id: websiteId, environment, error } = deployment;
  return (
    <>
      <p>The previous version is still live.</p>
      {isGateError(error) ? (
        <FailedGate deployment={deployment} error={error} isOpen onForce={onForce} />
      ) : (
        <p class="failed break">{deploymentError(error ?? '')}</p>
      )}
      {isLoopFailure(deployment) && (
        <div class="actions">
          <LinkButton size="small" href={`/websites/${websiteId}/health?environment=${environment}`}>
            Open Health
          </LinkButton>
        </div>
      )}
    </>
  );
}
