import { expect, test } from 'vitest';
import { deploymentText } from '../../dashboard/src/ui/text/change-text.ts';

const deployment = {
  kind: 'explicit',
  status: 'completed',
  environment: 'production',
  source: null,
  version: 12,
  redirect_count: 1_200,
  error: null,
} as const;
const GATE = 'EXPECTATIONS_FAILED: 1 of 2 expectations failed: /a';
const source = { environment: 'staging', version: 4 } as const;

test.each([
  ['deployed version 12 to production with 1,200 redirects', deployment],
  ['began to deploy to production', { ...deployment, status: 'queued', version: null, redirect_count: null }],
  ['failed to deploy to production', { ...deployment, status: 'failed' }],
  ['rolled production back: version 12 (the rules of version 4)', { ...deployment, kind: 'rollback', source }],
  ['began to deploy to production, and the gate stopped it', { ...deployment, status: 'failed', error: GATE }],
  [
    'changed redirects, but the gate stopped the automatic deployment to production',
    { ...deployment, kind: 'automatic', status: 'failed', error: GATE },
  ],
  ['failed to roll production back to version 4', { ...deployment, kind: 'rollback', status: 'failed', source }],
  ['promoted version 4 of staging to production', { ...deployment, kind: 'promote', source }],
  [
    'changed redirects, but the automatic deployment to production failed',
    { ...deployment, kind: 'automatic', status: 'failed' },
  ],
] as const)('%s', (text, shown) => {
  expect(deploymentText(shown)).toBe(text);
});
