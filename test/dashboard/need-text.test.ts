import { expect, test } from 'vitest';
import type { Need } from '../../dashboard/src/api/client/wire.ts';
import { ACCOUNT_SECTIONS, WEBSITE_SECTIONS } from '../../dashboard/src/nav.ts';
import { needText } from '../../dashboard/src/screens/home/need-text.ts';
import { OVERVIEW_KINDS } from '../../src/vocabulary/overview.ts';

const need = (kind: Need['kind'], more: Partial<Need> = {}): Need => ({
  kind,
  website_id: '7',
  environment: 'production',
  count: 1,
  count_is_at_least: false,
  subject: null,
  subject_id: null,
  since: null,
  ...more,
});

test.each(OVERVIEW_KINDS)('%s has a sentence, a link and a section', (kind) => {
  const { text, href } = needText(need(kind));
  expect(text).toMatch(/^[A-Z0-9].*[\w)]$/);
  expect(href).toMatch(/^\/(websites\/7|account|webhooks)/);
  const [subject = ''] = kind.split('.');
  const sections = [...WEBSITE_SECTIONS, ...ACCOUNT_SECTIONS].filter(({ needs }) => needs?.includes(subject));
  expect(sections.length).toBe(1);
});

test.each([
  [need('changes.waiting', { count: 12 }), '12 changes wait for Production'],
  [need('changes.waiting', { count: 12, count_is_at_least: true }), '12 or more changes wait for Production'],
  [need('webhook.failing', { count: 4 }), '4 webhooks fail'],
  [need('key.ends_soon', { subject: 'ci' }), 'An API key expires soon:'],
])('%j', (item, text) => {
  expect(needText(item).text).toBe(text);
});

test('a link leads to the environment', () => {
  expect(needText(need('urls.lost', { environment: 'staging' })).href).toBe('/websites/7/urls?environment=staging');
  expect(needText(need('urls.lost')).href).toBe('/websites/7/urls');
});
