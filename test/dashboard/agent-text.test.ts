import { expect, test } from 'vitest';
import { stateText } from '../../dashboard/src/screens/deployments/agents-card.tsx';

test.each([
  [14, 14, 'Serves version 14, which is live'],
  [12, 14, 'Serves version 12, live is 14'],
  [null, 14, 'Serves no version yet, live is 14'],
  [null, 0, 'Serves no version yet'],
])('an agent with version %s of %s: %s', (version, live, text) => {
  expect(stateText({ version, live_version: live })).toBe(text);
});
