import {
  type Environment,
  ENVIRONMENTS,
  inEnvironmentOrder,
  isEnvironment,
} from '../../vocabulary/environment.ts';

/** Names as a comma string, or the reason why they are none. White space around names is allowed; '' is no environment (a draft). */
export function parseEnvironmentList(text: string): { environments: Environment[] } | { problem: string } {
  if (text.trim() === '') return { environments: [] };
  return checkEnvironments(text.split(',').map((name) => name.trim()));
}

/** The names in the canonical order, or the reason why they are no environments. */
export function checkEnvironments(names: string[]): { environments: Environment[] } | { problem: string } {
  const unknown = names.find((name) => !isEnvironment(name));
  if (unknown !== undefined) {
    return {
      problem: `${JSON.stringify(unknown)} is no environment; name any of ${ENVIRONMENTS.join(', ')}`,
    };
  }
  if (new Set(names).size < names.length) return { problem: 'an environment stands twice' };
  return { environments: inEnvironmentOrder(names.filter(isEnvironment)) };
}
