/** The schedule of a redirect in words, and the time that it depends on. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DAY_MS, fullTime, nearTime } from '../../format.ts';

/** ISO times; null or '': no bound. */
export interface Bounds {
  active_from: string | null;
  active_until: string | null;
}

export interface Schedule {
  /** `ended` and `scheduled`: the redirect does not exist for visitors now */
  phase: 'scheduled' | 'active' | 'ended';
  /** such as `from Thu 22:01`; '' without an end to come */
  text: string;
  /** the exact times */
  title: string;
}

/** The schedule of a redirect at a time, in ms. The start is inclusive, the end is not. */
export function scheduleOf({ active_from: from, active_until: until }: Bounds, now: number): Schedule {
  const title = [from && `active from ${fullTime(from)}`, until && `active until ${fullTime(until)}`]
    .filter(Boolean)
    .join(', ');
  if (until && Date.parse(until) <= now) return { phase: 'ended', text: `ended ${nearTime(until, now)}`, title };
  if (from && Date.parse(from) > now) return { phase: 'scheduled', text: `from ${nearTime(from, now)}`, title };
  return { phase: 'active', text: until ? `until ${nearTime(until, now)}` : '', title };
}

/** The time now, in ms. Renders again when one of the bounds passes. */
export function useNow(bounds: readonly Bounds[]): number {
  const passed = useSignal(0);
  const now = Date.now();
  const times = bounds.flatMap(({ active_from, active_until }) => [active_from, active_until]);
  const next = Math.min(...times.map((time) => (time ? Date.parse(time) : 0)).filter((time) => time > now));
  useEffect(() => {
    if (next === Infinity) return;
    // A longer timeout than 24 days would end at once.
    const timer = setTimeout(() => passed.value++, Math.min(next - Date.now(), DAY_MS));
    return () => clearTimeout(timer);
  }, [next, passed.value]);
  return now;
}
