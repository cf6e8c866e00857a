import { expect, test } from 'vitest';
import { scheduleOf } from '../../dashboard/src/ui/text/schedule.ts';

const NOW = Date.parse('2030-03-10T12:00:00Z');
const EARLIER = '2030-03-10T12:00:00Z';
const LATER = '2030-03-10T12:00:01Z';

test.each([
  [null, null, 'active', /^$/],
  [EARLIER, null, 'active', /^$/],
  [LATER, null, 'scheduled', /^from /],
  [null, EARLIER, 'ended', /^ended /],
  [null, LATER, 'active', /^until /],
  [EARLIER, LATER, 'active', /^until /],
  ['2030-03-10T11:00:00Z', EARLIER, 'ended', /^ended /],
  ['', '', 'active', /^$/],
])('from %s until %s', (active_from, active_until, phase, text) => {
  const schedule = scheduleOf({ active_from, active_until }, NOW);
  expect(schedule.phase).toBe(phase);
  expect(schedule.text).toMatch(text);
});

test('names the weekday and the time in the next days, otherwise the day, and the year only of another one', () => {
  const text = (active_until: string) => scheduleOf({ active_from: null, active_until }, NOW).text;
  expect(text('2030-03-14T22:01:00Z')).toMatch(/^until [A-Z][a-z]+ \d+:\d\d/);
  expect(text('2030-11-27T12:00:00Z')).not.toMatch(/2030|:/);
  expect(text('2031-01-27T12:00:00Z')).toContain('2031');
});
