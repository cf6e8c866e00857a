/** The findings of a gate in counts: before a deployment, and in the error of one that it has refused. */
import { counted, number } from '../../format.ts';

/** The counts of each gate. A colon and the first failures follow. */
const COUNTS =
  /(?:^|; )(?:EXPECTATIONS_FAILED: |URLS_LOST: )?([\d,]+) ((?:of [\d,]+ expectations failed|URLs? would be lost|living pages? would be hidden by (?:a rule|rules))): /g;

/** `1 of 2 expectations failed, 3 URLs would be lost.` */
export const gateText = (error: string): string =>
  [...error.matchAll(COUNTS)].map(([, count, what]) => `${count} ${what}`).join(', ') + '.';

/** The number of failures, also of those that the service does not list. */
export const failedCount = (error: string): number =>
  [...error.matchAll(COUNTS)].reduce((sum, [, count = '0']) => sum + Number(count.replaceAll(',', '')), 0);

interface Found {
  passed: number;
  failed: number;
  /** failures stop the deployment, unless it is forced */
  isGated: boolean;
  isForced: boolean;
}

/** The expectations of a review. */
export function gateCheckText({ passed, failed, isGated, isForced }: Found): string {
  if (!isGated && failed > 0)
    return `${counted(passed, 'expectation')} would hold, ${number(failed)} would fail (not gated: deploys anyway).`;
  if (failed === 0) {
    if (!isGated) return `${counted(passed, 'expectation')} would hold (not gated).`;
    return passed === 0 ? 'No expectations.' : `Gate passed: ${counted(passed, 'expectation')} would hold.`;
  }
  const effect = isForced ? '. This is deployed all the same.' : ', so this would not be deployed.';
  return `${number(failed)} of ${counted(passed + failed, 'expectation')} would fail${effect}`;
}

/** ` 1 new, 2 failed before.`; '' if all are new. */
export function newFailuresText(fresh: number, old: number): string {
  if (old === 0) return '';
  return fresh === 0 ? ' All failed before.' : ` ${number(fresh)} new, ${number(old)} failed before.`;
}
