import { expect, test } from 'vitest';
import { hitsText } from '../../dashboard/src/screens/not-found/view.ts';

test.each([
  [[4, 0, 0], '4 hits', ''],
  [[1, 0, 0], '1 hit', ''],
  [[4, 5, 0], '4 by people', '5 by bots'],
  [[0, 5, 2], '0 by people', '5 by bots, 2 by assistants'],
])('hits by people, bots and assistants: %j', ([hits = 0, bots = 0, assistants = 0], own, others) => {
  expect(hitsText({ hits, bot_hits: bots, assistant_hits: assistants })).toEqual([own, others]);
});
