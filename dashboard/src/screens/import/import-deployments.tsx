import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { asApiError, isAbort } from '../../api/client/api-error.ts';
import { fetchDeployment } from '../../api/deployments.ts';
import type { Deployment, Website } from '../../api/client/wire.ts';
import { LinkButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { Icon } from '../../ui/icons.tsx';
import { deploymentError } from '../deployments/deployment-problems.tsx';
import { followDeployment, liveTime } from '../deployments/use-publish.ts';

interface Props {
  website: Website;
  /** when the user clicked Import, from performance.now() */
  since: number;
}

/** The deployments that an import queued: in progress, live with the time since the click, or failed with the reason. */
export function ImportDeployments({ ids, ...props }: Props & { ids: readonly string[] }) {
  return (
    <div role="status">
      <ul>
        {ids.map((id) => (
          <ImportDeployment key={id} id={id} isOnly={ids.length === 1} {...props} />
        ))}
      </ul>
    </div>
  );
}

function ImportDeployment({ website, since, id, isOnly }: Props & { id: string; isOnly: boolean }) {
  const seen = useSignal<{ deployment: Deployment; ms: number } | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    const controller = new AbortController();
    const store = (deployment: Deployment): void => {
      seen.value = { deployment, ms: performance.now() - since };
    };
    async function follow(): Promise<void> {
      try {
        const { deployment } = await fetchDeployment(id, controller.signal);
        store(deployment);
        await followDeployment(deployment, controller.signal, store);
      } catch (thrown) {
        if (!controller.signal.aborted && !isAbort(thrown)) problem.value = asApiError(thrown).message;
      }
    }
    void follow();
    return () => controller.abort();
  }, [id]);
  const { deployment, ms = 0 } = seen.value ?? {};
  if (problem.value !== '') return <li>The state of the deployment is unknown: {problem.value}</li>;
  const where = deployment && !(isOnly && deployment.environment === 'production') ? deployment.environment : undefined;
  const prefix = where === undefined ? '' : `${ENVIRONMENT_LABEL[where]}: `;
  if (deployment?.status === 'completed') {
    return (
      <li class="actions strong">
        <Icon name="check" /> {prefix}Live in {liveTime(ms)}
      </li>
    );
  }
  if (deployment?.status === 'failed') {
    return (
      <li class="failed break">
        {prefix}Not deployed. {deploymentError(deployment.error ?? '')} The previous version is still live.{' '}
        <LinkButton size="small" href={`/websites/${website.id}/deployments?environment=${deployment.environment}`}>
          View deployment
        </LinkButton>
      </li>
    );
  }
  return <li class="muted">{prefix}Deploying</li>;
}
