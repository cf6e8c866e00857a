import { expect, test } from 'vitest';
import { scheduleState } from '../../dashboard/src/screens/redirects/schedule-mark.tsx';

const NOW = Date.parse('2030-03-10T12:00:00Z');
const EARLIER = '2030-03-10T12:00:00Z';
const LATER = '2030-03-10T12:00:01Z';

test.each([
  [null, null, undefined],
  [EARLIER, null, undefined],
  [LATER, null, /^From /],
  [null, EARLIER, /^Expired$/],
  [null, LATER, /^Until /],
  [EARLIER, LATER, /^Until /],
  ['2030-03-10T11:00:00Z', EARLIER, /^Expired$/],
])('from %s until %s', (active_from, active_until, label) => {
  const state = scheduleState({ active_from, active_until }, NOW);
  if (label) expect(state?.label).toMatch(label);
  else expect(state).toBeUndefined();
});

test('names the year only of another one', () => {
  const label = (active_until: string) => scheduleState({ active_from: null, active_until }, NOW)?.label;
  expect(label('2030-11-27T12:00:00Z')).not.toContain('2030');
  expect(label('2031-01-27T12:00:00Z')).toContain('2031');
});
