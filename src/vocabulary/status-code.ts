/** Statuses that a rule may answer with. 410 and 451 say that a page is gone and have no target. */
export const STATUS_CODES = [301, 302, 303, 307, 308, 410, 451] as const;

export type StatusCode = (typeof STATUS_CODES)[number];

export function isStatusCode(value: number): value is StatusCode {
  return (STATUS_CODES as readonly number[]).includes(value);
}

/** False for the statuses that have no Location. */
export function statusHasTarget(status: number): boolean {
  return status !== 410 && status !== 451;
}
