import { useRef, useEffect } from 'preact/hooks';
import type { Deployment } from '../../api/client/wire.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { Changes } from './diff-lines.tsx';
import { deploymentError, isLoopFailure, Warnings } from './deployment-problems.tsx';
import { FailedGate, isGateFailure } from './failed-gate.tsx';
import { liveTime, type Publication, type Publish } from './use-publish.ts';

/** A deployment from the click to its end: in progress, live with Undo, or failed with the reason. */
export function PublicationCard(props: { publish: Publish; shown: Publication; onForce: () => void }) {
  const {
    publish,
    shown: { deployment, ms, isUndo },
    onForce,
  } = props;
  const { website_id: websiteId, status, version, environment, changes, warnings } = deployment;
  const isLive = status === 'completed';
  const card = useRef<HTMLElement>(null);
  // The button that had the focus is gone.
  useEffect(() => card.current?.focus(), []);
  const error = publish.error.value;
  return (
    <section ref={card} class="card publication" data-status={status} tabIndex={-1} aria-label="Deployment">
      <header>
        <div role="status">
          <h2 class="row">
            {isLive && <Icon name="check" />} {statusText(deployment, ms)}
          </h2>
          {isLive && (
            <p class="muted small">
              {isUndo ? 'Undone. ' : ''}Version {version} of {environment}: {changes && <Changes {...changes} />}
            </p>
          )}
        </div>
        <div class="actions">
          {isLive && version !== null && version > 1 && (
            <Button icon="undo" disabled={publish.isBusy.value} onClick={() => void publish.undo()}>
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

function statusText({ status }: Deployment, ms: number | undefined): string {
  if (status === 'completed') return ms === undefined ? 'Live' : `Live, ${liveTime(ms)}`;
  if (status === 'failed') return 'Not deployed';
  return status === 'queued' ? 'Waiting to start' : 'Deploying';
}

function Failure({ deployment, onForce }: { deployment: Deployment; onForce: () => void }) {
  const { website_id: websiteId, environment, error } = deployment;
  return (
    <>
      <p class="failed break">{deploymentError(error ?? '')}</p>
      <p>The previous version is still live.</p>
      <div class="actions">
        {isGateFailure(deployment) && <FailedGate deployment={deployment} onForce={onForce} />}
        {isLoopFailure(deployment) && (
          <LinkButton size="small" href={`/websites/${websiteId}/health?environment=${environment}`}>
            Open Health
          </LinkButton>
        )}
      </div>
    </>
  );
}
