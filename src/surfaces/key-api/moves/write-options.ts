/** Options of calls that write decided URLs as redirects. */
import { callDefaults } from '../../../formats/read/json/check-entry.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import { wrongParameter } from '../../../vocabulary/error.ts';

/** Default production. Throws INVALID_PARAMETER for none. */
export function environmentsOf(environments: Environment[] | undefined): Environment[] {
  if (environments === undefined) return ['production'];
  if (environments.length > 0) return environments;
  throw wrongParameter('target_environments', 'must name at least one environment; leave it out for production');
}

/** Throws INVALID_PARAMETER for a group that no redirect can have. */
export const groupOf = (group: string | null | undefined): string | null | undefined =>
  callDefaults(group, undefined).groupId;
