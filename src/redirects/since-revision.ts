import type { Environment } from '../vocabulary/environment.ts';

/** The in_x columns of a rule: targeted since `rev`, but where `before` says since when it has been so unchanged. */
export function sinceRevision(
  environments: readonly Environment[],
  rev: number,
  before: { inProd: number | null; inStaging: number | null; inDev: number | null } = NOT_TARGETED,
): { inProd: number | null; inStaging: number | null; inDev: number | null } {
  const since = (environment: Environment, was: number | null): number | null =>
    environments.includes(environment) ? (was ?? rev) : null;
  return {
    inProd: since('production', before.inProd),
    inStaging: since('staging', before.inStaging),
    inDev: since('development', before.inDev),
  };
}

const NOT_TARGETED = { inProd: null, inStaging: null, inDev: null };
