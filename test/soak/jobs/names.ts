/**
 * What people do with the dashboard. Every job has a test of this name, mostly two: by mouse and by keyboard.
 * test/dashboard/jobs.test.ts checks that none is missing.
 */
export const JOBS = [
  'sign in, first run',
  'find a rule among many',
  'read and scroll the list',
  'edit in the row',
  'new redirect, panel',
  'bulk edit across pages',
  'import with errors, mapping',
  'stage, compare, deploy',
  'promote, roll back',
  'who changed what, restore',
  'test an address, why it wins',
  'chains, flatten',
  'clean up unused',
  '404 inbox',
  'analytics',
  'API keys',
  'webhooks',
  'users',
  'change password, sessions',
  'second window, stale',
  'slow, failed network',
  'session expired',
  'read-only viewer',
  'phone 390, zoom 200 %',
  'Back, deep link, reload',
  'copy and paste',
  'long, RTL, non-ASCII',
  'screen reader, contrast, motion',
  'weight, first view, memory',
  'XSS, CSP, console',
] as const;

export type JobName = (typeof JOBS)[number];
