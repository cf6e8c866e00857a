/**
 * The screens and their paths. To add a screen: a folder in screens/ with a component that takes `params`, a line in
 * ROUTES, and a line in WEBSITE_NAV or ACCOUNT_NAV to show it in the sidebar. A new first path segment also goes into
 * PAGES of src/surfaces/dashboard/plugin.ts.
 */
import type { ComponentType } from 'preact';
import type { Params } from './router.ts';
import type { IconName } from './ui/icons.tsx';

export interface Route {
  path: string;
  /** loads the screen's chunk when it is first shown */
  load: () => Promise<ComponentType<{ params: Params }>>;
  /** also for signed-out users, and without the sidebar */
  isPublic?: true;
}

const loadAcceptLink = async () => (await import('./screens/accept-link/accept-link-screen.tsx')).AcceptLinkScreen;

export const ROUTES: readonly Route[] = [
  {
    path: '/invitation',
    isPublic: true,
    load: loadAcceptLink,
  },
  {
    path: '/reset-password',
    isPublic: true,
    load: loadAcceptLink,
  },
  {
    path: '/websites',
    load: async () => (await import('./screens/websites/websites-screen.tsx')).WebsitesScreen,
  },
  {
    path: '/websites/:websiteId/redirects',
    load: async () => (await import('./screens/redirects/redirects-screen.tsx')).RedirectsScreen,
  },
  {
    path: '/websites/:websiteId/import',
    load: async () => (await import('./screens/import/import-screen.tsx')).ImportScreen,
  },
  {
    path: '/websites/:websiteId/deployments',
    load: async () => (await import('./screens/deployments/deployments-screen.tsx')).DeploymentsScreen,
  },
  {
    path: '/websites/:websiteId/deployments/compare',
    load: async () => (await import('./screens/deployments/compare-screen.tsx')).CompareScreen,
  },
  {
    path: '/websites/:websiteId/deployments/review',
    load: async () => (await import('./screens/deployments/review-screen.tsx')).ReviewScreen,
  },
  {
    path: '/websites/:websiteId/tester',
    load: async () => (await import('./screens/tester/tester-screen.tsx')).TesterScreen,
  },
  {
    path: '/websites/:websiteId/expectations',
    load: async () => (await import('./screens/expectations/expectations-screen.tsx')).ExpectationsScreen,
  },
  {
    path: '/websites/:websiteId/analytics',
    load: async () => (await import('./screens/analytics/analytics-screen.tsx')).AnalyticsScreen,
  },
  {
    path: '/websites/:websiteId/not-found',
    load: async () => (await import('./screens/not-found/not-found-screen.tsx')).NotFoundScreen,
  },
  {
    path: '/websites/:websiteId/health',
    load: async () => (await import('./screens/health/health-screen.tsx')).HealthScreen,
  },
  {
    path: '/websites/:websiteId/settings',
    load: async () => (await import('./screens/websites/settings-screen.tsx')).SettingsScreen,
  },
  {
    path: '/activity',
    load: async () => (await import('./screens/activity/activity-screen.tsx')).ActivityScreen,
  },
  {
    path: '/webhooks',
    load: async () => (await import('./screens/webhooks/webhooks-screen.tsx')).WebhooksScreen,
  },
  {
    path: '/webhooks/:webhookId',
    load: async () => (await import('./screens/webhooks/webhook-screen.tsx')).WebhookScreen,
  },
  {
    path: '/account',
    load: async () => (await import('./screens/account/account-screen.tsx')).AccountScreen,
  },
  {
    path: '/account/deleted',
    isPublic: true,
    load: async () => (await import('./screens/account/delete-account.tsx')).AccountDeletedScreen,
  },
  {
    path: '/account/profile',
    load: async () => (await import('./screens/profile/profile-screen.tsx')).ProfileScreen,
  },
  {
    path: '/account/keys',
    load: async () => (await import('./screens/keys/keys-screen.tsx')).KeysScreen,
  },
  {
    path: '/account/audit',
    load: async () => (await import('./screens/audit/audit-screen.tsx')).AuditScreen,
  },
];

export interface NavEntry {
  label: string;
  icon: IconName;
  /** the key after `g` */
  key: string;
  path: string;
}

/** Screens of one website; paths are relative to `/websites/:websiteId`. */
export const WEBSITE_NAV: readonly NavEntry[] = [
  { label: 'Redirects', icon: 'redirects', key: 'r', path: '/redirects' },
  { label: 'Deployments', icon: 'deployments', key: 'd', path: '/deployments' },
  { label: 'Tester', icon: 'tester', key: 't', path: '/tester' },
  { label: 'Expectations', icon: 'expectations', key: 'x', path: '/expectations' },
  { label: 'Analytics', icon: 'analytics', key: 'a', path: '/analytics' },
  { label: 'Not found', icon: 'missing', key: 'n', path: '/not-found' },
  { label: 'Health', icon: 'health', key: 'e', path: '/health' },
  { label: 'Import', icon: 'import', key: 'i', path: '/import' },
  { label: 'Settings', icon: 'settings', key: 's', path: '/settings' },
];

/** Screens of the account. */
export const ACCOUNT_NAV: readonly NavEntry[] = [
  { label: 'Websites', icon: 'websites', key: 'w', path: '/websites' },
  { label: 'Activity', icon: 'activity', key: 'y', path: '/activity' },
  { label: 'Webhooks', icon: 'webhooks', key: 'h', path: '/webhooks' },
  { label: 'API keys', icon: 'key', key: 'k', path: '/account/keys' },
  { label: 'Audit log', icon: 'audit', key: 'l', path: '/account/audit' },
  { label: 'Account', icon: 'account', key: 'c', path: '/account' },
  { label: 'Profile', icon: 'user', key: 'p', path: '/account/profile' },
];
