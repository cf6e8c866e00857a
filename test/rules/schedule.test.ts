import { expect, test } from 'vitest';
import { isoSeconds } from '../../src/platform/clock.ts';
import { checkSchedule, parseMoment, readMoment } from '../../src/rules/schedule.ts';

test.each([
  ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00Z'],
  ['2030-01-31t12:00:00z', '2030-01-31T12:00:00Z'],
  ['2030-01-31 12:00Z', '2030-01-31T12:00:00Z'],
  ['2030-01-31T13:30:00+01:30', '2030-01-31T12:00:00Z'],
  ['2030-01-31T12:00:00.000Z', '2030-01-31T12:00:00Z'],
  ['2030-01-31T12:00:00.5Z', '2030-01-31T12:00:00Z'],
  ['2030-01-31T12:00:00.9999999Z', '2030-01-31T12:00:00Z'],
  ['2028-02-29T00:00:00-05:00', '2028-02-29T05:00:00Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59Z'],
])('%s is read to the second and written as %s', (text, written) => {
  const time = parseMoment(text);
  expect(time && isoSeconds(time)).toBe(written);
  expect(time?.getUTCMilliseconds()).toBe(0);
});

test.each([
  '',
  'tomorrow',
  '2030-01-31',
  '2030-01-31T12:00:00',
  '2030-02-30T12:00:00Z',
  '2030-13-01T12:00:00Z',
  '2030-00-01T12:00:00Z',
  '2030-01-31T24:00:00Z',
  '1969-12-31T23:59:59Z',
  '1970-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  '+012030-01-31T12:00:00Z',
  '1893456000',
])('%s is rejected, because a part is missing or impossible', (text) => {
  expect(parseMoment(text)).toBeUndefined();
  expect(readMoment('active_from', text)).toMatchObject({ path: 'active_from', code: 'INVALID_SCHEDULE' });
});

test('a window needs time between its ends; an open end is always after or before', () => {
  const [early, late] = [new Date('2030-01-01T00:00:00Z'), new Date('2030-01-01T00:00:00.001Z')];
  expect(checkSchedule({ activeFrom: early, activeUntil: late })).toBeUndefined();
  expect(checkSchedule({ activeFrom: late, activeUntil: null })).toBeUndefined();
  expect(checkSchedule({ activeFrom: null, activeUntil: early })).toBeUndefined();
  for (const activeUntil of [early, late])
    expect(checkSchedule({ activeFrom: late, activeUntil })).toMatchObject({
      path: 'active_until',
      code: 'INVALID_SCHEDULE',
    });
});
