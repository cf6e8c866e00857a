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
