/** Deployments that would remove more live redirects than the user knows of. */
import type { ApiError } from '../../api/api-error.ts';
import { counted, number } from '../../format.ts';

export interface RemovalCounts {
  /** live redirects that the deployment would remove */
  removed: number;
  /** all live redirects */
  total: number;
  /** the name of the environment */
  environment: string;
}

export interface Removals extends RemovalCounts {
  /** removed redirects that the screen showed */
  shown: number;
  /** the verb of the action, such as `Promote` */
  verb: string;
  /** repeats the action and accepts these removals */
  proceed: () => Promise<void>;
}

/** The counts of a TOO_MANY_REMOVALS response, from its details; undefined for other errors. */
export function removalsIn({ code, details }: Pick<ApiError, 'code' | 'details'>): RemovalCounts | undefined {
  if (code !== 'TOO_MANY_REMOVALS') return undefined;
  const [, removed, total, environment] = /([\d,]+) of ([\d,]+) live rules of (\w+)/.exec(details) ?? [];
  if (removed === undefined || total === undefined || environment === undefined) return undefined;
  return { removed: countIn(removed), total: countIn(total), environment };
}

const countIn = (text: string): number => Number(text.replaceAll(',', ''));

/** Says what is removed, and, if the screen showed fewer, that they are new. */
export function removalsText({ removed, total, environment, shown }: Omit<Removals, 'proceed' | 'verb'>): string {
  const of =
    removed === total
      ? `all ${counted(total, 'live redirect')}`
      : `${number(removed)} of ${number(total)} live redirects`;
  const text = `This removes ${of} of ${environment}. Their paths then respond like unknown paths.`;
  return shown === 0 ? text : `${text} The screen showed ${number(shown)}: redirects were deleted since.`;
}
