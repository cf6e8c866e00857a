/** Deployments that would remove more live redirects than the user knows of. */
import type { ApiError } from '../../api/api-error.ts';

export interface RemovalCounts {
  /** live redirects that the deployment would remove */
  removed: number;
  /** all live redirects */
  total: number;
  /** the name of the environment */
  environment: string;
}

/** The counts of a TOO_MANY_REMOVALS response, from its details; undefined for other errors. */
export function removalsIn({ code, details }: Pick<ApiError, 'code' | 'details'>): RemovalCounts | undefined {
  if (code !== 'TOO_MANY_REMOVALS') return undefined;
  const [, removed, total, environment] = /([\d,]+) of ([\d,]+) live rules of (\w+)/.exec(details) ?? [];
  if (removed === undefined || total === undefined || environment === undefined) return undefined;
  return { removed: countIn(removed), total: countIn(total), environment };
}

const countIn = (text: string): number => Number(text.replaceAll(',', ''));
