/** When schedules come, over changes of the clock. */
import { describe, expect, test } from 'vitest';
import { lastTime } from '../../../src/checks/automatic/last-time.ts';
import type { CheckSchedule } from '../../../src/vocabulary/checks.ts';

const HOUR = 3_600_000;
const daily = (hour: number, timeZone: string): CheckSchedule => ({ every: 'daily', hour, weekday: 1, timeZone });
const last = (schedule: CheckSchedule, now: string): string => lastTime(schedule, new Date(now)).toISOString();

/** The times that come from one moment to another, looked at every `stepMs`. */
function timesBetween(schedule: CheckSchedule, from: string, to: string, stepMs = 300_000): string[] {
  const times = new Set<string>();
  for (let at = Date.parse(from); at < Date.parse(to); at += stepMs)
    times.add(lastTime(schedule, new Date(at)).toISOString());
  return [...times].filter((time) => time >= new Date(from).toISOString());
}

test('the hour counts in the time zone, from its first second', () => {
  expect(last(daily(3, 'Europe/Berlin'), '2026-01-15T01:59:59Z')).toBe('2026-01-14T02:00:00.000Z');
  expect(last(daily(3, 'Europe/Berlin'), '2026-01-15T02:00:00Z')).toBe('2026-01-15T02:00:00.000Z');
  expect(last(daily(0, 'Asia/Kathmandu'), '2026-01-15T18:14:59Z')).toBe('2026-01-14T18:15:00.000Z');
  expect(last(daily(23, 'Pacific/Kiritimati'), '2026-01-15T09:00:00Z')).toBe('2026-01-15T09:00:00.000Z');
});

test('a week begins on Monday in the time zone', () => {
  const weekly = (weekday: number) => ({ ...daily(1, 'America/New_York'), every: 'weekly', weekday }) as const;
  // A Monday in UTC, still Sunday in New York.
  const now = '2026-01-12T04:00:00Z';
  expect(last(weekly(1), now)).toBe('2026-01-05T06:00:00.000Z');
  expect(last(weekly(7), now)).toBe('2026-01-11T06:00:00.000Z');
  expect(last(weekly(7), '2026-01-11T05:59:00Z')).toBe('2026-01-04T06:00:00.000Z');
});

describe('a night has one time when the clock changes', () => {
  test.each([
    ['skips the hour', daily(2, 'Europe/Berlin'), '2026-03-29', '01:00'],
    ['skips the hour before', daily(3, 'Europe/Berlin'), '2026-03-29', '01:00'],
    ['repeats the hour', daily(2, 'Europe/Berlin'), '2026-10-25', '00:00'],
    ['repeats the hour before', daily(3, 'Europe/Berlin'), '2026-10-25', '02:00'],
    ['skips midnight', daily(0, 'Asia/Beirut'), '2026-03-28', '22:00'],
    ['goes back over midnight', daily(0, 'Asia/Beirut'), '2026-10-24', '22:00'],
    ['moves by half an hour', daily(2, 'Australia/Lord_Howe'), '2026-10-03', '15:30'],
  ])('%s', (_, schedule, day, time) => {
    const [noon, next] = [0, 24].map((hours) => new Date(Date.parse(`${day}T10:00:00Z`) + hours * HOUR));
    const isMorning = time < '10:00';
    const from = new Date((isMorning ? (noon?.getTime() ?? 0) - 86_400_000 : noon?.getTime()) ?? 0).toISOString();
    const to = (isMorning ? noon : next)?.toISOString() ?? '';
    expect(timesBetween(schedule, from, to)).toEqual([`${day}T${time}:00.000Z`]);
  });

  test('every night of a year has one, in each kind of zone', () => {
    for (const timeZone of ['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Africa/Casablanca'])
      for (const hour of [0, 2])
        expect(timesBetween(daily(hour, timeZone), '2026-01-01T12:00:00Z', '2027-01-01T12:00:00Z', HOUR)).toHaveLength(
          365,
        );
  });
});
