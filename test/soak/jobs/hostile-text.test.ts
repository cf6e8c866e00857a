/** Text of visitors and users that tries to run as a script. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingPath } from '../../support/hits.ts';
import { addRedirect } from '../../support/site.ts';
import { type DashboardTest, startDashboard } from '../../system/dashboard/browser.ts';
import { fillAccount, type ScreenIds, SCREENS } from '../../system/dashboard/screens.ts';

const SCRIPT = `"><img src=x onerror="window.hostile=1"><script>window.hostile=1</script>`;

let dashboard: DashboardTest;
let ids: ScreenIds;
beforeAll(async () => {
  dashboard = await startDashboard();
  ids = await fillAccount(dashboard);
  const { owner } = dashboard;
  const { websiteId } = ids;
  const hostile = { new_path: '/x', notes: SCRIPT, group_id: SCRIPT.slice(0, 60) };
  await addRedirect(owner, websiteId, { old_path: `/${encodeURIComponent(SCRIPT)}`, ...hostile });
  await addRedirect(owner, websiteId, { old_path: '/javascript', ...hostile, new_path: '/javascript:alert(1)' });
  await owner.call('PUT', `/api/websites/${websiteId}`, { name: SCRIPT.slice(0, 100) });
  await owner.call('POST', '/api/keys', { name: SCRIPT.slice(0, 100), scope: 'read' });
  await owner.keyCall('PUT', `/api/webhooks/${ids.webhookId}`, { name: SCRIPT.slice(0, 100) });
  await owner.keyCall('PUT', `/api/v1/notices/${ids.noticeId}`, { name: SCRIPT.slice(0, 100) });
  const missing = { websiteId, path: `/${SCRIPT}`, hits: 3, referrerHost: '<b>x</b>' };
  await missingPath(dashboard.detour.db, missing);
});
afterAll(() => dashboard.stop());

test('XSS, CSP, console: no screen runs text, breaks the policy or reports an error', async () => {
  const page = await dashboard.open('/websites');
  for (const { pathFor, isPublic } of SCREENS) {
    if (isPublic) continue;
    await page.goto(pathFor(ids));
    await page.locator('h1').waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  }
  expect(await page.evaluate('window.hostile')).toBeUndefined();
  expect(dashboard.complaints).toEqual([]);
});
