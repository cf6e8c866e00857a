/** Texts for deployments. */
import type { Deployment } from '../../api/client/wire.ts';
import { counted } from '../../format.ts';
import { ENVIRONMENT_LABEL } from './environment.tsx';

type Shown = Pick<Deployment, 'kind' | 'status' | 'environment' | 'source' | 'version' | 'redirect_count'>;

/** Describes the deployment; follows the name of the actor. */
export function deploymentText({ kind, status, environment, source, version, redirect_count: count }: Shown): string {
  const to = ENVIRONMENT_LABEL[environment].toLowerCase();
  if (kind === 'automatic') return `changed redirects, but the automatic deployment to ${to} failed`;
  const from = source ? `version ${source.version}` : '';
  const size = count === null ? '' : ` with ${counted(count, 'redirect')}`;
  const [begin, done] =
    kind === 'rollback'
      ? [`roll ${to} back to ${from}`, `rolled ${to} back to ${from}`]
      : kind === 'promote'
        ? [`promote ${from} of ${sourceOf(source)} to ${to}`, `promoted ${from} of ${sourceOf(source)} to ${to}`]
        : [`deploy to ${to}`, `deployed version ${version ?? ''} to ${to}${size}`];
  if (status === 'completed') return done;
  return status === 'failed' ? `failed to ${begin}` : `began to ${begin}`;
}

const sourceOf = (source: Shown['source']): string =>
  source ? ENVIRONMENT_LABEL[source.environment].toLowerCase() : '';
