import { expect, test } from 'vitest';
import type { ActivityEvent } from '../../dashboard/src/api/wire.ts';
import { changesOf, eventText } from '../../dashboard/src/screens/activity/event-text.ts';

const TIME = '2030-01-01T00:00:00Z';
const redirect = {
  id: '7',
  website_id: '1',
  old_path: '/a',
  new_path: '/b',
  status_code: 301,
  is_regex: false,
  group_id: null,
  notes: null,
  target_environments: [],
  created_at: TIME,
  updated_at: TIME,
  deployed_to_prod: null,
  deployed_to_staging: null,
  deployed_to_dev: null,
};
const deployment = {
  website_id: '1',
  environment: 'production' as const,
  deployment_id: '5',
  started_at: TIME,
  changes: null,
  warnings: [],
  warning_count: 0,
};

type EventData<Each> = Each extends ActivityEvent ? Pick<Each, 'event' | 'data'> : never;
type Input = EventData<ActivityEvent>;

const eventOf = (input: Input): ActivityEvent => ({
  id: 'e',
  timestamp: TIME,
  website_id: 1,
  actor: { type: 'user', id: '1', name: 'me' },
  ...input,
});
const textOf = (input: Input): string => eventText(eventOf(input)).text;

test('each event type has a text with its subject', () => {
  const live = { ...deployment, version: 3, redirect_count: 1, deployed_at: TIME, error: null, note: null };
  const gone = { ...redirect, new_path: null, status_code: 410 };
  const bulk = { filter: { website_id: '1' }, updates: null, count: 12_000 };
  const summary = { total_submitted: 6, created: 2, updated: 1, skipped: 0, errors: 3 };
  const imported = { import_id: 'i', website_id: '1', processing_time: '1s', completed_at: TIME };
  const exported = {
    export_id: 'x',
    website_id: '1',
    filters: {},
    exported_at: TIME,
  };
  const started = { ...live, version: null, redirect_count: null, deployed_at: null };
  expect([
    textOf({ event: 'redirect.created', data: { redirect } }),
    textOf({ event: 'redirect.updated', data: { redirect: gone, previous: {} } }),
    textOf({ event: 'redirect.deleted', data: { redirect: null, bulk } }),
    textOf({ event: 'deployment.started', data: { deployment: started } }),
    textOf({ event: 'deployment.completed', data: { deployment: live } }),
    textOf({ event: 'deployment.failed', data: { deployment: { ...started, error: 'a loop' } } }),
    textOf({ event: 'bulk_import.completed', data: { import: { ...imported, source: 'csv', summary } } }),
    textOf({
      event: 'bulk_export.completed',
      data: { export: { ...exported, format: 'csv', total_count: 5 } },
    }),
  ]).toEqual([
    'created /a → /b',
    'updated /a (410)',
    `deleted ${(12_000).toLocaleString()} redirects in bulk`,
    'started a deployment to production',
    'deployed version 3 to production with 1 redirect',
    'failed to deploy to production: a loop',
    'imported 2 redirects; 1 updated, 3 errors',
    'exported 5 redirects as csv',
  ]);
});

test('changes list only the changed fields, before and after', () => {
  const previous = { new_path: null, group_id: 'old', target_environments: ['staging' as const] };
  expect(changesOf(eventOf({ event: 'redirect.updated', data: { redirect, previous } }))).toEqual([
    { label: 'To', before: 'None', after: '/b' },
    { label: 'Group', before: 'old', after: 'None' },
    { label: 'Environments', before: 'staging', after: 'None' },
  ]);
  const bulk = { filter: { website_id: '1' }, updates: { notes: 'n' }, count: 12_000 };
  const many = { redirect: null, previous: null, bulk };
  expect(changesOf(eventOf({ event: 'redirect.updated', data: many }))).toEqual([]);
  expect(changesOf(eventOf({ event: 'redirect.created', data: { redirect } }))).toEqual([]);
});
