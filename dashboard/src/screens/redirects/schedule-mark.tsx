import type { Redirect } from '../../api/client/wire.ts';
import { fullTime, shortDay } from '../../format.ts';

export interface ScheduleState {
  label: string;
  tone: '' | 'warn';
  /** the exact times */
  title: string;
}

/** Whether a redirect is active now, if it has a schedule; undefined if it has none, or only a start that has passed. */
export function scheduleState(
  { active_from: from, active_until: until }: Pick<Redirect, 'active_from' | 'active_until'>,
  now: number = Date.now(),
): ScheduleState | undefined {
  const title = [from && `Active from ${fullTime(from)}`, until && `active until ${fullTime(until)}`]
    .filter(Boolean)
    .join(', ');
  if (until && Date.parse(until) <= now) return { label: 'Expired', tone: 'warn', title };
  if (from && Date.parse(from) > now) return { label: `From ${shortDay(from, now)}`, tone: 'warn', title };
  return until ? { label: `Until ${shortDay(until, now)}`, tone: '', title } : undefined;
}

/** The badge of a redirect with a schedule. */
export function ScheduleMark({ redirect }: { redirect: Redirect }) {
  const state = scheduleState(redirect);
  if (!state) return null;
  return (
    <span class={`badge ${state.tone}`} title={state.title}>
      {state.label}
    </span>
  );
}
