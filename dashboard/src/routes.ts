/**
 * The screens and their paths. To add a screen: a folder in screens/ with a component, a line in one of the tables
 * below, and a line in nav.ts to show it in the sidebar. A new first path segment also goes into PAGES of
 * src/surfaces/dashboard/plugin.ts.
 */
import { type ComponentType, h } from 'preact';
import type { Website } from './api/client/wire.ts';
import type { Params } from './router.ts';
import { useWebsite } from './state/websites.ts';

/** Loads the screen's chunk when it is first shown. */
type Load<Props> = () => Promise<ComponentType<Props>>;

export interface Route {
  path: string;
  load: Load<{ params: Params }>;
  isPublic: boolean;
}

export const SIGN_IN = '/sign-in';

const loadAcceptLink = async () => (await import('./screens/accept-link/accept-link-screen.tsx')).AcceptLinkScreen;

/** Also for signed-out users, and without the sidebar. */
const PUBLIC_SCREENS: Record<string, Route['load']> = {
  '/sign-in': async () => (await import('./screens/sign-in/sign-in-screen.tsx')).SignInScreen,
  '/invitation': loadAcceptLink,
  '/reset-password': loadAcceptLink,
  '/account/deleted': async () => (await import('./screens/account/delete-account.tsx')).AccountDeletedScreen,
};

/** Screens of one website. */
const WEBSITE_SCREENS: Record<string, Load<{ website: Website; params: Params }>> = {
  '/websites/:websiteId': async () => (await import('./screens/home/home-screen.tsx')).HomeScreen,
  '/websites/:websiteId/redirects/:redirectId?': async () =>
    (await import('./screens/redirects/redirects-screen.tsx')).RedirectsScreen,
  '/websites/:websiteId/import': async () => (await import('./screens/import/import-screen.tsx')).ImportScreen,
  '/websites/:websiteId/deployments': async () =>
    (await import('./screens/deployments/deployments-screen.tsx')).DeploymentsScreen,
  '/websites/:websiteId/deployments/compare': async () =>
    (await import('./screens/deployments/compare-screen.tsx')).CompareScreen,
  '/websites/:websiteId/deployments/review': async () =>
    (await import('./screens/deployments/review-screen.tsx')).ReviewScreen,
  '/websites/:websiteId/tester': async () => (await import('./screens/tester/tester-screen.tsx')).TesterScreen,
  '/websites/:websiteId/expectations': async () =>
    (await import('./screens/expectations/expectations-screen.tsx')).ExpectationsScreen,
  '/websites/:websiteId/analytics': async () =>
    (await import('./screens/analytics/analytics-screen.tsx')).AnalyticsScreen,
  '/websites/:websiteId/not-found': async () =>
    (await import('./screens/not-found/not-found-screen.tsx')).NotFoundScreen,
  '/websites/:websiteId/logs': async () => (await import('./screens/logs/logs-screen.tsx')).LogsScreen,
  '/websites/:websiteId/urls': async () => (await import('./screens/urls/urls-screen.tsx')).UrlsScreen,
  '/websites/:websiteId/moves': async () => (await import('./screens/moves/moves-screen.tsx')).MovesScreen,
  '/websites/:websiteId/moves/:moveId': async () => (await import('./screens/moves/desk-screen.tsx')).DeskScreen,
  '/websites/:websiteId/checks': async () => (await import('./screens/checks/checks-screen.tsx')).ChecksScreen,
  '/websites/:websiteId/checks/:checkId': async () => (await import('./screens/checks/check-screen.tsx')).CheckScreen,
  '/websites/:websiteId/activity': async () => (await import('./screens/activity/activity-screen.tsx')).ActivityScreen,
  '/websites/:websiteId/health': async () => (await import('./screens/health/health-screen.tsx')).HealthScreen,
  '/websites/:websiteId/settings': async () => (await import('./screens/websites/settings-screen.tsx')).SettingsScreen,
};

const SCREENS: Record<string, Route['load']> = {
  '/websites': async () => (await import('./screens/home/websites-screen.tsx')).WebsitesScreen,
  '/activity': async () => (await import('./screens/activity/activity-screen.tsx')).AllActivityScreen,
  '/webhooks': async () => (await import('./screens/webhooks/webhooks-screen.tsx')).WebhooksScreen,
  '/webhooks/:webhookId': async () => (await import('./screens/webhooks/webhook-screen.tsx')).WebhookScreen,
  '/notices': async () => (await import('./screens/notices/notices-screen.tsx')).NoticesScreen,
  '/notices/:noticeId': async () => (await import('./screens/notices/notice-screen.tsx')).NoticeScreen,
  '/account': async () => (await import('./screens/account/account-screen.tsx')).AccountScreen,
  '/account/profile': async () => (await import('./screens/profile/profile-screen.tsx')).ProfileScreen,
  '/account/keys': async () => (await import('./screens/keys/keys-screen.tsx')).KeysScreen,
  '/account/audit': async () => (await import('./screens/audit/audit-screen.tsx')).AuditScreen,
};

/** Gives a screen the website of its path. Another website is a new screen; an unknown one has none. */
const ofWebsite =
  (load: (typeof WEBSITE_SCREENS)[string]): Route['load'] =>
  async () => {
    const Screen = await load();
    return ({ params }) => {
      const website = useWebsite(params);
      return website ? h(Screen, { website, params }) : null;
    };
  };

const routesOf = (screens: Record<string, Route['load']>, isPublic = false): Route[] =>
  Object.entries(screens).map(([path, load]) => ({ path, load, isPublic }));

export const ROUTES: readonly Route[] = [
  ...routesOf(PUBLIC_SCREENS, true),
  ...routesOf(SCREENS),
  ...Object.entries(WEBSITE_SCREENS).map(([path, load]) => ({ path, load: ofWebsite(load), isPublic: false })),
];
