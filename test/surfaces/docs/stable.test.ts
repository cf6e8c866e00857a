/** The recorded examples are the same on every day, also on the day after the one that they show. */
import { expect, test } from 'vitest';
import { createStable } from './stable.ts';

test.each(['2026-11-20', '2026-11-21', '2026-11-22', '2031-03-01'])('on %s', (today) => {
  const now = new Date(`${today}T00:08:00Z`);
  const yesterday = new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10);
  const stable = createStable(now);
  const real = `{"at":"${today}T00:08:01Z","then":"${yesterday}T01:00:00Z","days":["${today}","${yesterday}"]}`;
  const shown = '{"at":"2026-11-21T13:10:40Z","then":"2026-11-21T13:10:40Z","days":["2026-11-21","2026-11-20"]}';
  expect(stable.shown(real)).toBe(shown);
  expect(stable.real('?from=2026-11-20&to=2026-11-21')).toBe(`?from=${yesterday}&to=${today}`);
});
