/** The sections of the sidebar, and the screens of each. */
import type { Environment } from '../../src/vocabulary/environment.ts';
import type { IconName } from './ui/icons.tsx';
import { environmentUrl } from './urls.ts';

export interface NavEntry {
  label: string;
  icon: IconName;
  /** the key after `g` */
  key: string;
  path: string;
  /** set if the screen shows one environment: the parameters of its URL that another environment removes */
  ofEnvironment?: readonly string[];
  /** the first words of the kinds of items of Home that lead there */
  needs?: readonly string[];
  /** only owners see more than a notice there */
  isOfOwners?: boolean;
}

/** An entry of the sidebar. It opens the first of its screens. */
export interface NavSection {
  label: string;
  icon: IconName;
  screens: readonly [NavEntry, ...NavEntry[]];
}

/** Sections of one website; paths are relative to `/websites/:websiteId`. */
export const WEBSITE_SECTIONS: readonly NavSection[] = [
  { label: 'Home', icon: 'home', screens: [{ label: 'Home', icon: 'home', key: 'h', path: '' }] },
  {
    label: 'Redirects',
    icon: 'redirects',
    screens: [
      { label: 'Redirects', icon: 'redirects', key: 'r', path: '/redirects', needs: ['redirect'] },
      { label: 'Moves', icon: 'arrow', key: 'm', path: '/moves', needs: ['move'] },
      { label: 'Import', icon: 'import', key: 'i', path: '/import' },
    ],
  },
  {
    label: 'Releases',
    icon: 'deployments',
    screens: [
      {
        label: 'Deployments',
        icon: 'deployments',
        key: 'd',
        path: '/deployments',
        ofEnvironment: ['from', 'to', 'to_environment'],
        needs: ['deployment', 'changes', 'environment', 'agent'],
      },
      {
        label: 'Expectations',
        icon: 'expectations',
        key: 'x',
        path: '/expectations',
        ofEnvironment: ['against'],
        needs: ['expectations'],
      },
    ],
  },
  {
    label: 'Traffic',
    icon: 'analytics',
    screens: [
      { label: 'Analytics', icon: 'analytics', key: 'a', path: '/analytics', ofEnvironment: [] },
      { label: 'Not found', icon: 'missing', key: 'n', path: '/not-found', ofEnvironment: [], needs: ['not_found'] },
      { label: 'Logs', icon: 'rows', key: 'f', path: '/logs', ofEnvironment: [] },
    ],
  },
  {
    label: 'Checks',
    icon: 'check',
    screens: [
      {
        label: 'URLs',
        icon: 'urls',
        key: 'u',
        path: '/urls',
        ofEnvironment: ['list', 'answered'],
        needs: ['urls'],
      },
      { label: 'Live checks', icon: 'check', key: 'v', path: '/checks' },
      {
        label: 'Health',
        icon: 'health',
        key: 'e',
        path: '/health',
        ofEnvironment: ['show'],
        needs: ['targets', 'loops'],
      },
      { label: 'Tester', icon: 'tester', key: 't', path: '/tester', ofEnvironment: [] },
    ],
  },
  {
    label: 'Activity',
    icon: 'activity',
    screens: [{ label: 'Activity', icon: 'activity', key: 'y', path: '/activity' }],
  },
  {
    label: 'Settings',
    icon: 'settings',
    screens: [{ label: 'Settings', icon: 'settings', key: 's', path: '/settings', needs: ['host'] }],
  },
];

/** Sections of the account. */
export const ACCOUNT_SECTIONS: readonly NavSection[] = [
  {
    label: 'All websites',
    icon: 'websites',
    screens: [
      { label: 'All websites', icon: 'websites', key: 'w', path: '/websites' },
      { label: 'All activity', icon: 'activity', key: 'j', path: '/activity' },
    ],
  },
  {
    label: 'Account',
    icon: 'account',
    screens: [
      { label: 'Account', icon: 'account', key: 'c', path: '/account', needs: ['quota'] },
      { label: 'Profile', icon: 'user', key: 'p', path: '/account/profile' },
      { label: 'API keys', icon: 'key', key: 'k', path: '/account/keys', needs: ['key'], isOfOwners: true },
      { label: 'Webhooks', icon: 'webhooks', key: 'b', path: '/webhooks', needs: ['webhook'], isOfOwners: true },
      { label: 'Notices', icon: 'notices', key: 'o', path: '/notices', needs: ['notice'], isOfOwners: true },
      { label: 'Audit log', icon: 'audit', key: 'l', path: '/account/audit', isOfOwners: true },
    ],
  },
];

/** All screens of the sidebar, in its order. */
export const WEBSITE_NAV: readonly NavEntry[] = WEBSITE_SECTIONS.flatMap(({ screens }) => screens);
export const ACCOUNT_NAV: readonly NavEntry[] = ACCOUNT_SECTIONS.flatMap(({ screens }) => screens);

/** How many of the items of Home lead to these screens. */
export const countNeeds = (screens: readonly NavEntry[], needs: readonly { kind: string }[]): number =>
  needs.filter(({ kind }) => screens.some((screen) => screen.needs?.includes(kind.split('.')[0] ?? ''))).length;

/** The URL of a screen for an environment. `base`: `/websites/7`, or '' for a screen of the account. */
export const navHref = (base: string, { path, ofEnvironment }: NavEntry, environment: Environment): string =>
  environmentUrl(base + path, ofEnvironment ? environment : null);

/** The screen with the longest path that begins `path`, and its section. */
export function placeOf(
  sections: readonly NavSection[],
  base: string,
  path: string,
): { section: NavSection; screen: NavEntry } | undefined {
  const places = sections.flatMap((section) => section.screens.map((screen) => ({ section, screen })));
  return places
    .filter(({ screen }) => path === base + screen.path || path.startsWith(`${base}${screen.path}/`))
    .toSorted((a, b) => b.screen.path.length - a.screen.path.length)[0];
}
