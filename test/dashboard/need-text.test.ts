import { expect, test } from 'vitest';
import type { Need } from '../../dashboard/src/api/client/wire.ts';
import { ACCOUNT_NAV, countNeeds, WEBSITE_NAV } from '../../dashboard/src/nav.ts';
import { groupedNeeds, withoutHidden } from '../../dashboard/src/screens/home/need-groups.ts';
import { countText, needText } from '../../dashboard/src/screens/home/need-text.ts';
import { type HomeNeed, hideUntilTomorrow, showHidden, shownLines } from '../../dashboard/src/state/shown-needs.ts';
import { OVERVIEW_KINDS } from '../../src/vocabulary/overview.ts';

const need = <Kind extends HomeNeed['kind']>(
  kind: Kind,
  more: Partial<Need> = {},
): Omit<Need, 'kind'> & { kind: Kind } => ({
  website_id: '7',
  environment: 'production',
  environments: [],
  count: 1,
  count_is_at_least: false,
  count_is_stale: false,
  hits: null,
  subject: null,
  subject_id: null,
  since: null,
  ...more,
  kind,
});

test.each([...OVERVIEW_KINDS, 'host.not_in_dns'] as const)('%s has a sentence, a link and a screen', (kind) => {
  const { text, href } = needText(need(kind));
  expect(text).toMatch(/^[A-Z0-9].*[\w)]$/);
  expect(href).toMatch(/^\/(websites\/7|account|webhooks|notices)/);
  const screens = [...WEBSITE_NAV, ...ACCOUNT_NAV].filter((screen) => countNeeds([screen], [{ kind }]) === 1);
  expect(screens.length).toBe(1);
});

test.each([
  [need('changes.waiting', { count: 12 }), '12 changes wait for Production'],
  [need('changes.waiting', { count: 12, count_is_at_least: true }), 'At least 12 changes wait for Production'],
  [need('agent.lagging', { count: 2 }), '2 agents of Production lag behind or are silent'],
  [need('webhook.failing', { count: 4 }), '4 webhooks fail'],
  [need('loops.live', { count: 2 }), '2 redirects are in a loop in Production'],
  [need('key.ends_soon', { subject: 'ci' }), 'An API key expires soon:'],
])('%j', (item, text) => {
  expect(needText(item).text).toBe(text);
});

test('a move that is decided but not applied asks for the apply', () => {
  expect(needText(need('move.open', { count: 0, subject: 'Relaunch', subject_id: 'mov_1' }))).toMatchObject({
    text: 'Every URL is decided, but nothing is applied yet, in the move',
    action: 'Apply',
    href: '/websites/7/moves/mov_1',
  });
});

test('a stale count says when it was counted', () => {
  expect(countText('2026-05-04T10:32:00Z', false)).toBeUndefined();
  const now = Date.parse('2026-05-04T10:33:00Z');
  expect(countText('2026-05-04T10:32:00Z', true, now)).toMatch(/^as of .*\d:32.*, counting again$/);
  expect(countText(null, true)).toBe('counting again');
});

test('a failed gate and the expectations that fail there are one line', () => {
  const gated = need('deployment.gated', { subject: 'EXPECTATIONS_FAILED: 2 of 3', subject_id: 'dep_1' });
  const failing = need('expectations.failing', { count: 2, subject: '/a' });
  const inStaging = need('expectations.failing', { environment: 'staging', subject: '/b' });
  const [group] = groupedNeeds([gated, failing, inStaging]);
  expect(group).toMatchObject({ title: 'Broken now', count: 2 });
  expect(group?.rows.map((row) => needText(row.need))).toMatchObject([
    {
      text: '2 expectations fail in Production and prevented the last deployment, first',
      subject: '/a',
      href: '/websites/7/deployments',
    },
    { text: '1 expectation fails in Staging, first', href: '/websites/7/expectations?environment=staging' },
  ]);
  const ofUrls = need('deployment.gated', { subject: 'URLS_LOST: 2 URLs would be lost: /a; /b' });
  expect(groupedNeeds([ofUrls, failing])[0]?.count).toBe(2);
  const prevented = 'Expectations or URLs prevented the last deployment to Production';
  expect(needText(ofUrls).text).toBe(`${prevented}: 2 URLs would be lost: /a`);
  expect(needText(need('deployment.gated', { subject: null })).text).toBe(prevented);
});

test('a link leads to the environment', () => {
  expect(needText(need('urls.lost', { environment: 'staging' })).href).toBe('/websites/7/urls?environment=staging');
  expect(needText(need('urls.lost')).href).toBe('/websites/7/urls');
});

test('one redirect that ends soon opens, several open the list of what is upcoming', () => {
  const ends = (count: number) => needText(need('redirect.ends_soon', { count, subject: '/a', subject_id: '12' })).href;
  expect([ends(1), ends(3)]).toEqual(['/websites/7/redirects/12', '/websites/7/redirects?view=upcoming']);
});

test('broken targets name their environments, and lead to the first one', () => {
  const broken = (...environments: Need['environments']) =>
    needText(need('targets.broken', { environment: null, environments, count: 3 }));
  expect(broken('production', 'staging')).toMatchObject({
    text: '3 redirects lead to a broken target in Production and Staging',
    href: '/websites/7/health?show=broken_targets',
  });
  expect(broken('staging').href).toBe('/websites/7/health?show=broken_targets&environment=staging');
});

test('needs are grouped by urgency, in their order', () => {
  const kinds = ['urls.lost', 'key.ends_soon', 'changes.waiting', 'not_found.paths', 'targets.broken'] as const;
  const groups = groupedNeeds(kinds.map((kind) => need(kind)));
  expect(groups.map(({ title, rows }) => [title, ...rows.map((row) => row.need.kind)])).toEqual([
    ['Broken now', 'urls.lost', 'targets.broken'],
    ['Waits for you', 'changes.waiting', 'not_found.paths'],
    ['Soon', 'key.ends_soon'],
  ]);
  expect(groupedNeeds([need('changes.waiting')], false)[0]?.title).toBe('Waits for an editor');
  expect(groupedNeeds([])).toEqual([]);
});

test('an equal need of more than 3 websites is one row with the sum', () => {
  const lost = (...ids: string[]) => ids.map((id) => need('urls.lost', { website_id: id, count: 2, subject: '/a' }));
  const rowsOf = (needs: Need[]) => groupedNeeds(needs).flatMap(({ rows }) => rows);
  expect(rowsOf(lost('1', '2', '3')).map(({ parts }) => parts.length)).toEqual([0, 0, 0]);
  const staging = need('urls.lost', { environment: 'staging' });
  const [row, other] = rowsOf([...lost('1', '2', '3', '4'), staging]);
  expect(row?.need).toMatchObject({ count: 8, subject: null });
  expect(row?.parts.map(({ website_id: id }) => id)).toEqual(['1', '2', '3', '4']);
  expect(other).toEqual({ need: staging, parts: [] });
  // Several things of one website stay rows.
  const moves = Array.from({ length: 5 }, (_, at) => need('move.open', { subject_id: String(at) }));
  expect(rowsOf(moves)).toHaveLength(5);
});

test('a hidden line is shown again on the next day, or when it begins again', () => {
  const now = new Date(2026, 4, 4, 22, 30);
  const tomorrow = new Date(2026, 4, 5).getTime();
  const failing = need('webhook.failing', { since: '2026-05-04T10:00:00Z', count: 2 });
  const lost = need('urls.lost', { since: '2026-05-04T10:00:00Z' });
  const left = (needs: readonly Need[], at: number) => withoutHidden(groupedNeeds(needs), at);
  hideUntilTomorrow(failing, now);
  hideUntilTomorrow(lost, now);
  expect(left([failing, lost], now.getTime())).toEqual({ shown: [], hidden: 2 });
  expect(left([failing, lost], tomorrow).hidden).toBe(0);
  const later = '2026-05-04T20:31:00Z';
  const again = left([need('webhook.failing', { since: later }), need('urls.lost', { since: later })], now.getTime());
  expect(again).toMatchObject({ shown: [{ rows: [{ need: { kind: 'webhook.failing' } }] }], hidden: 1 });
  showHidden();
  expect(left([failing, lost], now.getTime()).hidden).toBe(0);
});

test('a hidden line of loops stays hidden after a deployment, until another loop appears', () => {
  const now = new Date(2026, 4, 4, 22, 30);
  const loop = need('loops.live', { subject: '/a', count: 2, since: '2026-05-04T10:00:00Z' });
  hideUntilTomorrow(loop, now);
  const hiddenOf = (more: Partial<Need>) => withoutHidden(groupedNeeds([{ ...loop, ...more }]), now.getTime()).hidden;
  expect(hiddenOf({ since: '2026-05-04T20:31:00Z' })).toBe(1);
  expect([hiddenOf({ count: 4 }), hiddenOf({ subject: '/c' })]).toEqual([0, 0]);
  showHidden();
});

test('the numbers of the sections count the lines that Home shows', () => {
  const gated = need('deployment.gated', { subject: 'EXPECTATIONS_FAILED: 2 of 3', since: '2026-05-04T10:00:00Z' });
  const failing = need('expectations.failing', { count: 2, since: '2026-05-04T09:00:00Z' });
  const waiting = need('changes.waiting');
  const all = [gated, failing, waiting];
  expect(countNeeds(WEBSITE_NAV, shownLines(all))).toBe(2);
  for (const { rows } of groupedNeeds(all)) for (const row of rows) hideUntilTomorrow(row.need);
  expect(countNeeds(WEBSITE_NAV, shownLines(all))).toBe(0);
  showHidden();
});
