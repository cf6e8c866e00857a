/** The three environments of every website, in canonical order. */
export const ENVIRONMENTS = ['production', 'staging', 'development'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

export function isEnvironment(name: string): name is Environment {
  return (ENVIRONMENTS as readonly string[]).includes(name);
}

/** Sorts environments in canonical order, each once. */
export function inEnvironmentOrder(environments: Iterable<Environment>): Environment[] {
  const wanted = new Set(environments);
  return ENVIRONMENTS.filter((environment) => wanted.has(environment));
}
