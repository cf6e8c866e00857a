import { expect, test } from 'vitest';
import { followText, liveText } from '../../dashboard/src/screens/deployments/use-agents.ts';

test.each([
  [1, 0, '1 agent follows, up to date.'],
  [3, 0, '3 agents follow, up to date.'],
  [3, 1, '3 agents follow; 1 agent lags behind already.'],
])('before a release, %d agents of which %d lag', (total, behind, text) => {
  expect(followText(total, behind)).toBe(text);
});

test.each([
  [[], 'Live, 1.2 s'],
  [[7, 7], 'Live everywhere, 1.2 s'],
  [[7, 6, null], 'Live here, 1.2 s; 1 of 3 agents has it'],
  [[6, 5], 'Live here, 1.2 s; 0 of 2 agents have it'],
])('after a release of version 7, agents at %j', (versions, text) => {
  const agents = versions.map((version) => ({ version }));
  expect(liveText(agents, 7, ', 1.2 s')).toBe(text);
});
