/** Every screen of the dashboard, on an account with some of everything. */
import { sql } from 'drizzle-orm';
import { DASHBOARD_ROUTES } from '../../support/dashboard-routes.ts';
import { missingPath, redirectDay, websiteDay } from '../../support/hits.ts';
import { readyMove } from '../../support/moves.ts';
import { addRedirect, createSite, settled } from '../../support/site.ts';
import { storeTargetState } from '../../support/target-states.ts';
import type { DashboardTest } from './browser.ts';

/** The values of the parameters of routes. */
export interface ScreenIds {
  websiteId: number;
  webhookId: string;
  noticeId: string;
  redirectId: number;
  moveId: string;
  checkId: string;
}

export interface Screen {
  /** the path of the route */
  route: string;
  /** the path of the page, with ids */
  pathFor: (ids: ScreenIds) => string;
  isPublic: boolean;
}

/** All screens of the route list. */
export const SCREENS: readonly Screen[] = DASHBOARD_ROUTES.map(({ path, isPublic }) => ({
  route: path,
  isPublic,
  pathFor: (ids) => fill(path, ids),
}));

function fill(route: string, ids: ScreenIds): string {
  return route.replace(/:(\w+)/g, (_, name: string) => {
    if (!(name in ids)) throw new Error(`Add a value for :${name} to ScreenIds, so that ${route} is tested`);
    return String(ids[name as keyof ScreenIds]);
  });
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Fills the account of the owner: every screen has something to show. */
export async function fillAccount(dashboard: DashboardTest): Promise<ScreenIds> {
  const { owner, detour } = dashboard;
  const websiteId = await createSite(owner, ['filled.example.com'], { name: 'Filled' });
  const add = (old_path: string, new_path: string, more: object = {}): Promise<number> =>
    addRedirect(owner, websiteId, { old_path, new_path, ...more });
  const redirectId = await add('/old', '/new', { group_id: 'spring', notes: 'Asked for by the legal team' });
  await add('/first', '/old', { target_environments: 'production,staging' });
  await add('/blog/(\\d+)/(.*)', '/articles/$2?id=$1', { is_regex: true, status_code: 308 });
  await add('/%D9%85%D9%82%D8%A7%D9%84', '/caf%C3%A9', { active_from: '2041-01-02T10:00:00Z' });
  await settled(owner, websiteId);
  await owner.call('PUT', `/api/websites/${websiteId}`, { auto_deploy: false });
  await owner.call('PUT', `/api/redirects/${redirectId}`, { new_path: '/newer' });
  const expectations = [
    { url: '/old', status_code: 301 },
    { url: '/gone', status_code: 410 },
  ];
  await owner.call('POST', `/api/websites/${websiteId}/expectations`, { expectations });
  const lists = `/api/v1/websites/${websiteId}/urls`;
  const pushed = { urls: [{ url: '/guide', title: 'A guide' }, '/old', '/caf%C3%A9', '/lost'] };
  await owner.keyCall('PUT', `${lists}/living`, pushed);
  await owner.keyCall('PUT', `${lists}/living`, { urls: pushed.urls.slice(0, 3) });
  const accepted = [{ glob: '/archive/*', reason: 'The archive was closed', until: null }];
  await owner.keyCall('PUT', `${lists}/accepted`, { accepted });
  const hits = { websiteId, day: daysAgo(2), hits: 40, botHits: 3, countries: { DE: 30, SE: 6 } };
  await websiteDay(detour.db, { ...hits, unmatched: 7 });
  await redirectDay(detour.db, { ...hits, redirectId });
  await missingPath(detour.db, { websiteId, path: '/guide/first-steps.html', hits: 12 });
  const line = { time: Date.now(), host: 'filled.example.com', method: 'GET', uri: '/old', status: 301 };
  await fetch(`${detour.address}/api/v1/websites/${websiteId}/logs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}` },
    body: `${JSON.stringify(line)}\n${JSON.stringify({ ...line, host: 'other.example.com' })}\n`,
  });
  // Nothing listens there: deliveries fail.
  const webhook = { name: 'chat', url: 'https://hooks.invalid/in', events: ['redirect.created'] };
  const created = await owner.keyCall('POST', '/api/webhooks', webhook);
  const channel = { type: 'slack', url: 'https://1.1.1.1/in' };
  const notice = await owner.keyCall('POST', '/api/v1/notices', { name: 'team', channel, kinds: ['urls.lost'] });
  await owner.call('POST', '/api/invitations', { email: 'invited@example.com', role: 'editor' });
  const urls = ['/guides', { url: '/lost-page', title: 'Lost', weight: 3 }];
  const { body } = await owner.keyCall('POST', `/api/v1/websites/${websiteId}/moves`, {
    name: 'Relaunch',
    from: { urls },
  });
  const { id: moveId } = await readyMove(owner, websiteId, body.move.id);
  await storeTargetState(detour.db, websiteId, redirectId, { state: 'dead', reason: 'http_404' });
  const checkId = await storeCheck(dashboard, websiteId);
  return {
    websiteId,
    checkId,
    webhookId: created.body.webhook.id,
    noticeId: notice.body.notice.id,
    redirectId,
    moveId,
  };
}

/** A stopped check with some results. */
async function storeCheck({ owner, detour }: DashboardTest, websiteId: number): Promise<string> {
  const checks = `/api/v1/websites/${websiteId}/checks`;
  const { body } = await owner.keyCall('POST', checks, { kind: 'targets' });
  await owner.keyCall('DELETE', `${checks}/${body.check.id}`);
  await detour.db.execute(sql`
    update check_targets set confirmed = true, status = 404, checked_at = now(),
      state = (array['dead', 'moved', 'ok'])[1 + n % 3], end_url = 'https://filled.example.com/a-page-that-works'
    where check_id = ${body.check.id}`);
  return body.check.id;
}
