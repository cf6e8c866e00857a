/** The error of a deployment that a gate has refused, in counts: its failures are listed below it. */

/** The counts of each gate. A colon and the first failures follow. */
const COUNTS =
  /(?:^|; )(?:EXPECTATIONS_FAILED: |URLS_LOST: )?([\d,]+) ((?:of [\d,]+ expectations failed|URLs? would be lost|living pages? would be hidden by (?:a rule|rules))): /g;

export const isGateError = (error: string | null): error is string =>
  /^(EXPECTATIONS_FAILED|URLS_LOST): /.test(error ?? '');

/** `1 of 2 expectations failed, 3 URLs would be lost.` */
export const gateText = (error: string): string =>
  [...error.matchAll(COUNTS)].map(([, count, what]) => `${count} ${what}`).join(', ') + '.';

/** The number of failures, also of those that the service does not list. */
export const failedCount = (error: string): number =>
  [...error.matchAll(COUNTS)].reduce((sum, [, count = '0']) => sum + Number(count.replaceAll(',', '')), 0);
