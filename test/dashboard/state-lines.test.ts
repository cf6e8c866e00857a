import { expect, test } from 'vitest';
import type { EnvironmentState } from '../../dashboard/src/api/client/wire.ts';
import { stateLines } from '../../dashboard/src/frame/state-lines.ts';

const LIVE: EnvironmentState = {
  environment: 'production',
  live_version: 3,
  redirect_count: 10,
  waiting_changes: 0,
  live_only: 0,
  differences: 0,
  held: false,
  deploying: false,
  failed_deployment: null,
};
const failed_deployment = { id: 'dep_1', error: 'REDIRECT_LOOP: /a -> /b' };
const textsOf = (isAutomatic: boolean, ...states: Partial<EnvironmentState>[]) =>
  stateLines(
    { id: 7, auto_deploy: isAutomatic },
    states.map((state) => ({ ...LIVE, differences: state.waiting_changes ?? 0, ...state })),
  ).map(({ place, text }) => `${place}: ${text}`);

test.each([
  ['all live', false, {}, []],
  ['one change', false, { waiting_changes: 1 }, ['Production: 1 change waits']],
  ['many changes', false, { waiting_changes: 1_200 }, ['Production: 1,200 changes wait']],
  [
    'promoted rules apart',
    true,
    { held: true, waiting_changes: 77, live_only: 75, differences: 2 },
    ['Production: on hold, 2 changes wait, 75 live only by a promotion'],
  ],
  ['on hold', true, { held: true }, ['Production: on hold']],
  ['held without automatic deployments', false, { held: true, waiting_changes: 2 }, ['Production: 2 changes wait']],
  ['on hold with changes', true, { held: true, waiting_changes: 2 }, ['Production: on hold, 2 changes wait']],
  [
    'failed',
    true,
    { waiting_changes: 2, deploying: true, failed_deployment },
    ['Production: deployment failed, 2 changes wait'],
  ],
  ['an automatic deployment in progress', true, { waiting_changes: 2, deploying: true }, []],
  ['a requested one', false, { waiting_changes: 2, deploying: true }, ['Production: 2 changes wait']],
])('%s', (_, isAutomatic, state, texts) => {
  expect(textsOf(isAutomatic, state)).toEqual(texts);
});

test('each environment has its line, with a link to the review of its changes or to the failure', () => {
  const waiting = stateLines({ id: 7, auto_deploy: false }, [{ ...LIVE, waiting_changes: 1, differences: 1 }]);
  expect(waiting[0]?.href).toBe('/websites/7/deployments/review?environment=production&action=deploy');
  const states = [
    LIVE,
    { ...LIVE, environment: 'staging' as const, waiting_changes: 1, differences: 1, failed_deployment },
  ];
  expect(stateLines({ id: 7, auto_deploy: false }, states)).toEqual([
    {
      place: 'Staging',
      text: 'deployment failed, 1 change waits',
      href: '/websites/7/deployments?environment=staging',
      isFailure: true,
    },
  ]);
});
