import { ENVIRONMENTS, type Environment } from '../../../../src/vocabulary/environment.ts';

export const ENVIRONMENT_LABEL: Record<Environment, string> = {
  production: 'Production',
  staging: 'Staging',
  development: 'Development',
};

/** Options of a select. */
export const ENVIRONMENT_OPTIONS = ENVIRONMENTS.map((name) => [name, ENVIRONMENT_LABEL[name]] as const);

export const ENVIRONMENT_TONE: Record<Environment, string> = {
  production: 'ok',
  staging: 'blue',
  development: 'violet',
};

export function EnvironmentBadge({ environment }: { environment: Environment }) {
  return <span class={`badge ${ENVIRONMENT_TONE[environment]}`}>{ENVIRONMENT_LABEL[environment]}</span>;
}
