import { ENVIRONMENTS, type Environment } from '../../../src/vocabulary/environment.ts';
import { fullTime } from '../format.ts';

export const ENVIRONMENT_LABEL: Record<Environment, string> = {
  production: 'Production',
  staging: 'Staging',
  development: 'Development',
};

/** Options of a select. */
export const ENVIRONMENT_OPTIONS = ENVIRONMENTS.map((name) => [name, ENVIRONMENT_LABEL[name]] as const);

const SHORT: Record<Environment, string> = { production: 'Prod', staging: 'Stg', development: 'Dev' };
const TONE: Record<Environment, string> = { production: 'ok', staging: 'warn', development: 'violet' };

export function EnvironmentBadge({ environment }: { environment: Environment }) {
  return <span class={`badge ${TONE[environment]}`}>{ENVIRONMENT_LABEL[environment]}</span>;
}

/** An environment of a redirect: filled if the current redirect is live there, hollow otherwise. */
export function EnvironmentMark({ environment, liveSince }: { environment: Environment; liveSince: string | null }) {
  const name = ENVIRONMENT_LABEL[environment];
  const title = liveSince === null ? `${name}: not live yet` : `${name}: live since ${fullTime(liveSince)}`;
  return (
    <span class={`badge mark ${TONE[environment]}`} data-live={liveSince !== null} title={title}>
      <span aria-hidden="true">
        {SHORT[environment].slice(0, 1)}
        <span>{SHORT[environment].slice(1)}</span>
      </span>
      <span class="unseen">{title}</span>
    </span>
  );
}
