/** One sentence about a redirect, around its source and target. */
import type { Redirect } from '../../../api/client/wire.ts';
import { scheduleOf } from '../../../ui/text/schedule.ts';
import { liveMarks } from '../live-state.ts';
import { environmentsOf } from '../view.ts';

const HOW: Readonly<Record<number, string>> = {
  301: 'permanently',
  302: 'temporarily',
  303: 'temporarily, always with GET',
  307: 'temporarily, keeping the method',
  308: 'permanently, keeping the method',
};

const WITHOUT_TARGET: Readonly<Record<number, string>> = { 410: 'gone', 451: 'unavailable for legal reasons' };

/** Whether visitors of the first environment that it targets get another state of it until the next deployment. */
export function waits(redirect: Redirect, now: number): boolean {
  const [first] = environmentsOf(redirect);
  const state = liveMarks(redirect, [], now).find(({ environment }) => environment === first)?.state;
  return state === 'waiting' || state === 'none';
}

export interface SummaryText {
  /** before the source */
  start: string;
  /** between source and target; the rest of the sentence without one */
  middle: string;
  /** after the target */
  end: string;
}

/** With the next start or end at a time in ms. `isWaiting`: see `waits`. */
export function summaryText(redirect: Redirect, now: number, isWaiting = false): SummaryText {
  const { is_regex: isPattern, status_code: status, new_path: target } = redirect;
  const { text } = scheduleOf(redirect, now);
  const code = `(${status})${text && `, ${text}`}.`;
  const subject = isPattern ? 'Paths that match ' : '';
  const start = isWaiting ? `After the next deployment, ${subject.toLowerCase()}` : subject;
  if (target === null) {
    const verb = isPattern ? 'are' : 'is';
    return { start, middle: ` ${verb} ${WITHOUT_TARGET[status] ?? 'without a target'} ${code}`, end: '' };
  }
  return { start, middle: ` ${isPattern ? 'redirect' : 'redirects'} to `, end: `, ${HOW[status] ?? ''} ${code}` };
}
