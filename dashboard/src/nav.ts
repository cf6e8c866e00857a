/** The entries of the sidebar. */
import type { IconName } from './ui/icons.tsx';

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
  { label: 'URLs', icon: 'urls', key: 'u', path: '/urls' },
  { label: 'Moves', icon: 'arrow', key: 'm', path: '/moves' },
  { label: 'Checks', icon: 'check', key: 'v', path: '/checks' },
  { label: 'Health', icon: 'health', key: 'e', path: '/health' },
  { label: 'Import', icon: 'import', key: 'i', path: '/import' },
  { label: 'Settings', icon: 'settings', key: 's', path: '/settings' },
];

/** Screens of the account. */
export const ACCOUNT_NAV: readonly NavEntry[] = [
  { label: 'Websites', icon: 'websites', key: 'w', path: '/websites' },
  { label: 'Activity', icon: 'activity', key: 'y', path: '/activity' },
  { label: 'Webhooks', icon: 'webhooks', key: 'h', path: '/webhooks' },
  { label: 'Notices', icon: 'notices', key: 'o', path: '/notices' },
  { label: 'API keys', icon: 'key', key: 'k', path: '/account/keys' },
  { label: 'Audit log', icon: 'audit', key: 'l', path: '/account/audit' },
  { label: 'Account', icon: 'account', key: 'c', path: '/account' },
  { label: 'Profile', icon: 'user', key: 'p', path: '/account/profile' },
];
