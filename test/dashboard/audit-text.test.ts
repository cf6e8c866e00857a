import { expect, test, vi } from 'vitest';
import type { AuditEntry } from '../../dashboard/src/api/client/wire.ts';
import { auditChanges, auditParts } from '../../dashboard/src/screens/audit/audit-text.ts';
import { AUDIT_ACTIONS } from '../../src/vocabulary/audit.ts';
import { EVENT_KINDS } from '../../src/vocabulary/kinds.ts';
import { NOTICE_CHANNELS, NOTICE_KINDS } from '../../src/vocabulary/notices.ts';

// The names of forms and websites come from modules that read the address of the page.
vi.hoisted(() => {
  const nothing = () => {};
  const history = { state: null, replaceState: nothing };
  const document = { querySelector: nothing, addEventListener: nothing };
  const location = new URL('http://localhost/');
  Object.assign(globalThis, { location, history, document, addEventListener: nothing });
});

const auditText = (entry: AuditEntry): string => auditParts(entry).join('');

const entryOf = (entry: Pick<AuditEntry, 'action'> & Partial<AuditEntry>): AuditEntry => ({
  id: 'e',
  created_at: '2030-01-01T00:00:00Z',
  actor: { type: 'user', id: '1', name: 'me@example.com' },
  target: null,
  details: null,
  address: '203.0.113.7',
  user_agent: null,
  ...entry,
});

test.each<[string, Pick<AuditEntry, 'action'> & Partial<AuditEntry>]>([
  ['signed in', { action: 'user.signed_in' }],
  ['failed to sign in: wrong password or code', { action: 'user.sign_in_failed' }],
  ['entered a wrong code with a reset link', { action: 'user.sign_in_failed', details: { reason: 'reset link' } }],
  ['entered a wrong code for new recovery codes', { action: 'user.sign_in_failed', details: { reason: 'wrong code' } }],
  ['entered a wrong current password', { action: 'user.sign_in_failed', details: { reason: 'wrong' } }],
  [
    'changed the role of jo@example.com from editor to viewer',
    { action: 'user.role_changed', target: 'jo@example.com', details: { from: 'editor', to: 'viewer' } },
  ],
  [
    'changed the list of URLs main: 1,535 added, 0 removed',
    { action: 'urls.changed', target: 'main', details: { environment: 'production', added: 1_535, removed: 0 } },
  ],
  [
    'created the API key Nightly (EU) with read access',
    { action: 'api_key.created', target: 'Nightly (EU) (key_1a)', details: { scope: 'read' } },
  ],
  [
    'renamed the API key Nightly to Nightly (EU)',
    {
      action: 'api_key.renamed',
      target: 'Nightly (EU) (key_1a)',
      details: { before: 'Nightly', after: 'Nightly (EU)' },
    },
  ],
  ['changed the plan from free to pro', { action: 'account.plan_changed', details: { before: 'free', after: 'pro' } }],
  ['set a new password for jo@example.com', { action: 'user.password_reset', target: 'jo@example.com' }],
  ['set a new password with a reset link', { action: 'user.password_reset' }],
  ['turned off two-factor sign-in', { action: 'user.totp_disabled', target: 'user 5' }],
  [
    'turned off two-factor sign-in of user 5',
    { action: 'user.totp_disabled', target: 'user 5', actor: { type: 'system', id: '', name: 'system' } },
  ],
  [
    'rotated the secret of the webhook Hook. The previous one is valid for another 24 hours',
    { action: 'webhook.secret_rotated', target: 'Hook (wh_1)', details: { overlap_seconds: 86_400 } },
  ],
  [
    'rotated the secret of the webhook Hook. The previous one ended at once',
    { action: 'webhook.secret_rotated', target: 'Hook (wh_1)', details: { overlap_seconds: 0 } },
  ],
])('%s', (text, entry) => {
  expect(auditText(entryOf(entry))).toBe(text);
});

test('every action has a text without placeholders', () => {
  const texts = AUDIT_ACTIONS.map((action) => auditText(entryOf({ action, target: 'x' })));
  expect(texts.filter((text) => text === '' || /[{}]/.test(text))).toEqual([]);
});

test('changes of websites, webhooks and notices list the values', () => {
  const host = { hostname: 'a.example', environment: 'production' };
  const moved = { hostname: 'a.example', environment: 'staging' };
  const other = { hostname: 'b.example', environment: 'production' };
  expect([
    auditChanges(
      entryOf({ action: 'website.hosts_changed', details: { before: [host, other], after: [other, moved] } }),
    ),
    auditChanges(
      entryOf({
        action: 'website.updated',
        details: {
          before: { case_sensitive: true, fallback_url: null },
          after: { case_sensitive: false, fallback_url: 'https://b.example' },
        },
      }),
    ),
    auditChanges(entryOf({ action: 'webhook.updated', details: { is_active: false } })),
    auditChanges(entryOf({ action: 'notice.updated', details: { kinds: ['urls.lost'], website_ids: null } })),
    auditChanges(entryOf({ action: 'notice.updated', details: { website_ids: [] } })),
    auditChanges(entryOf({ action: 'webhook.updated', details: { events: ['redirect.created'] } })),
    auditChanges(entryOf({ action: 'website.updated', details: { check_credentials: null } })),
    auditChanges(entryOf({ action: 'user.added', details: { role: 'viewer' } })),
  ]).toEqual([
    [
      { label: 'Added', before: '', after: 'a.example (staging)' },
      { label: 'Removed', before: '', after: 'a.example (production)' },
    ],
    [
      { label: 'Case sensitive', before: 'Yes', after: 'No' },
      { label: 'Fallback URL', before: 'None', after: 'https://b.example' },
    ],
    [{ label: 'Enabled', before: '', after: 'No' }],
    [
      { label: 'Messages', before: '', after: 'Lost URLs' },
      { label: 'Websites', before: '', after: 'All websites' },
    ],
    [{ label: 'Websites', before: '', after: 'No website' }],
    [{ label: 'Events', before: '', after: 'Redirect created' }],
    [{ label: 'Credentials for checks', before: '', after: 'Removed' }],
    [],
  ]);
});

/** Every field that an entry may have, with every closed value. */
const OPTIONS = {
  name: 'Shop',
  case_sensitive: true,
  trailing_slash: 'ignore',
  query: 'pass',
  fallback_url: null,
  allowed_target_hosts: [],
  auto_deploy: true,
  on_loop: 'warn',
  gated_environments: ['staging'],
  url_gate: [],
  page_parameters: ['id'],
  sitemap_urls: [],
  check_after_deployment: false,
  check_schedule: { every: 'off', hour: 1, weekday: 1, time_zone: 'UTC' },
  accepted_losses: [],
};
const DETAILS = {
  'website.updated': {
    before: OPTIONS,
    after: {
      ...OPTIONS,
      ...{ name: 'Other', case_sensitive: false, trailing_slash: 'exact', query: 'exact', auto_deploy: false },
      ...{ on_loop: 'fail', gated_environments: [], url_gate: ['production'], page_parameters: [] },
      ...{ check_after_deployment: true, check_schedule: { every: 'weekly', hour: 2, weekday: 2, time_zone: 'UTC' } },
    },
  },
  'notice.created': { kinds: NOTICE_KINDS, website_ids: [7], to: 'team', is_active: true, name: 'Team' },
  'webhook.created': { events: EVENT_KINDS, url: 'receiver', is_active: true, name: 'Hook' },
  'api_key.created': { scope: 'read' },
};

test('no entry has a raw name of a field, a kind or an event', () => {
  const entries = [
    ...AUDIT_ACTIONS.map((action) =>
      entryOf({ action, target: 'Shop', details: DETAILS[action as keyof typeof DETAILS] ?? null }),
    ),
    ...NOTICE_CHANNELS.map((channel) => entryOf({ action: 'notice.updated', details: { channel } })),
    entryOf({ action: 'user.role_changed', target: 'Jo', details: { from: 'viewer', to: 'owner' } }),
  ];
  const texts = entries.flatMap((entry) => [
    auditText(entry),
    ...auditChanges(entry).flatMap(({ label, before, after }) => [label, before, after]),
  ]);
  expect(texts.length).toBeGreaterThan(AUDIT_ACTIONS.length + 40);
  expect(texts.filter((text) => /[a-z]_[a-z]|[a-z]\.[a-z]/.test(text))).toEqual([]);
});
