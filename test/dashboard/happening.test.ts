import { expect, test } from 'vitest';
import type { ActivityEvent, EventData } from '../../dashboard/src/api/events.ts';
import { changesOf, happeningOf } from '../../dashboard/src/screens/activity/happening.ts';

const redirect = {
  id: '7',
  old_path: '/a',
  new_path: '/b',
  status_code: 301,
  is_regex: false,
  group_id: null,
  notes: null,
  target_environments: [],
};

const told = (event: ActivityEvent['event'], data: EventData): string =>
  happeningOf({
    id: 'e',
    event,
    timestamp: '2030-01-01T00:00:00Z',
    website_id: 1,
    actor: { type: 'user', id: '1', name: 'me' },
    data,
  }).text;

test('each kind of event is told in words, with what it was about', () => {
  const deployment = { environment: 'production', version: 3, redirect_count: 1, error: null } as const;
  const summary = { created: 2, updated: 1, skipped: 0, errors: 3 };
  expect([
    told('redirect.created', { redirect }),
    told('redirect.updated', { redirect: { ...redirect, new_path: null, status_code: 410 }, previous: {} }),
    told('redirect.deleted', { redirect: null, bulk: { count: 12_000, updates: null } }),
    told('deployment.started', { deployment: { ...deployment, version: null, redirect_count: null } }),
    told('deployment.completed', { deployment }),
    told('deployment.failed', { deployment: { ...deployment, error: 'a loop' } }),
    told('bulk_import.completed', { import: { source: 'csv', summary, processing_time: '1s' } }),
    told('bulk_export.completed', { export: { format: 'csv', total_count: 5 } }),
  ]).toEqual([
    'created /a → /b',
    'changed /a (410)',
    `deleted ${(12_000).toLocaleString()} redirects by a filter`,
    'began to deploy to production',
    'deployed version 3 to production with 1 redirect',
    'failed to deploy to production: a loop',
    'imported 2 redirects; 1 updated, 3 errors',
    'exported 5 redirects as csv',
  ]);
});

test('a change names the fields that it touched, before and after, and no others', () => {
  const previous = { new_path: null, group_id: 'old', target_environments: ['staging' as const] };
  expect(changesOf({ redirect, previous })).toEqual([
    { label: 'To', before: 'none', after: '/b' },
    { label: 'Group', before: 'old', after: 'none' },
    { label: 'Environments', before: 'staging', after: 'none' },
  ]);
  expect(changesOf({ redirect: null, previous: null })).toEqual([]);
});
