/** The three environments of every website, in the order in which they are written and answered. */
export const ENVIRONMENTS = ['production', 'staging', 'development'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

/** True for the exact name of an environment; names are never folded or trimmed here. */
export function isEnvironment(name: string): name is Environment {
  return (ENVIRONMENTS as readonly string[]).includes(name);
}

/** The environments of a set, in the canonical order. */
export function inEnvironmentOrder(environments: Iterable<Environment>): Environment[] {
  const wanted = new Set(environments);
  return ENVIRONMENTS.filter((environment) => wanted.has(environment));
}
