/** Results of the finder that need no request: screens, actions and websites. */
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { Website } from '../../api/client/wire.ts';
import { ACCOUNT_NAV, WEBSITE_NAV } from '../../nav.ts';
import { REDIRECT_TOKENS } from '../../screens/redirects/view.ts';
import { completionsOf } from '../../ui/form/query-line.ts';
import { reviewUrl } from '../../urls.ts';
import type { Entry, Section } from './entry.ts';

const MAX_WEBSITES = 5;

/** Synonyms of the name of a screen. */
const KEYWORDS: Readonly<Record<string, string>> = {
  '': 'overview needs attention',
  '/deployments': 'deploy publish promote roll back rollback versions history',
  '/tester': 'test url',
  '/expectations': 'tests checks',
  '/analytics': 'hits visitors statistics report',
  '/not-found': '404 missing unmatched paths',
  '/logs': 'access log files nginx apache cloudfront push',
  '/urls': 'pages sitemap lists lost',
  '/health': 'loops chains flatten duplicates',
  '/import': 'upload csv file',
  '/settings': 'hosts domains fallback website',
  '/activity': 'changes events history undo log',
  '/webhooks': 'deliveries events',
  '/account/keys': 'tokens credentials',
  '/account/audit': 'security sign-ins log',
  '/account': 'users invite plan usage team roles',
  '/account/profile': 'password sessions two-factor totp sign-in sign out logout',
};

interface Context {
  websites: readonly Website[];
  current: Website | undefined;
  mayEdit: boolean;
  /** may create websites; default: true */
  mayCreate?: boolean;
  /** default: true */
  isOwner?: boolean;
}

/** Without a text: all screens and actions. A text must begin words of the name, or be a part of a website's host. */
export function placesFor(text: string, context: Context): Section[] {
  const { websites, current, mayEdit, mayCreate = true, isOwner = true } = context;
  const matches = wordMatcher(text);
  const screens = [
    ...(current ? WEBSITE_NAV.map((entry) => ({ ...entry, href: `/websites/${current.id}${entry.path}` })) : []),
    ...ACCOUNT_NAV.filter(({ isOfOwners }) => isOwner || !isOfOwners).map((entry) => ({ ...entry, href: entry.path })),
  ];
  const found: Section[] = [
    {
      title: 'Screens',
      entries: screens
        .filter(({ label, path }) => matches(`${label} ${KEYWORDS[path] ?? ''}`))
        .map(({ icon, label, href }) => ({ icon, text: label, href })),
    },
    { title: 'Actions', entries: actionsIn(current, mayEdit, mayCreate).filter((action) => matches(action.text)) },
    { title: 'Websites', entries: websites.filter(hasText(text)).slice(0, MAX_WEBSITES).map(websiteEntry) },
    { title: 'Filters', entries: filterEntries(text) },
  ];
  return found.filter(({ entries }) => entries.length > 0);
}

/** The values of a filter that is typed. */
const filterEntries = (text: string): Entry[] => (/\w:\S*$/.test(text) ? completed(text) : []);

/** The names of filters that the last word begins, for the end of the results. One letter begins too many. */
export function filterNames(text: string): Section[] {
  const entries = /\w{2}$/.test(text) && !/:\S*$/.test(text) ? completed(text) : [];
  return entries.length > 0 ? [{ title: 'Filters', entries }] : [];
}

function completed(text: string): Entry[] {
  const lines = completionsOf(REDIRECT_TOKENS, text).filter((line) => line.trim() !== text);
  return lines.map((line) => ({ icon: 'filter', text: line.trim(), href: '', line }));
}

function actionsIn(current: Website | undefined, mayEdit: boolean, mayCreate: boolean): Entry[] {
  const docs: Entry = { icon: 'external', text: 'API reference', href: '/docs', isExternal: true };
  if (!mayEdit) return [docs];
  const newWebsite: Entry[] = mayCreate ? [{ icon: 'plus', text: 'New website', href: '/websites?new=website' }] : [];
  if (!current) return [...newWebsite, docs];
  const base = `/websites/${current.id}`;
  return [
    { icon: 'plus', text: 'New redirect', note: current.name, href: `${base}/redirects?new=/` },
    { icon: 'import', text: 'Import redirects', note: current.name, href: `${base}/import` },
    ...deployEntries(current),
    ...newWebsite,
    docs,
  ];
}

/** The review of what waits for each environment that has hosts. */
const deployEntries = ({ id, name, hosts }: Website): Entry[] =>
  ENVIRONMENTS.filter((each) => hosts.some(({ environment }) => environment === each)).map((environment) => ({
    icon: 'deployments',
    text: `Review and deploy to ${environment}`,
    note: name,
    href: reviewUrl(id, environment, { action: 'deploy' }),
  }));

export const websiteEntry = ({ id, name, hosts }: Website): Entry => ({
  icon: 'websites',
  text: name,
  note: hosts[0]?.hostname ?? 'No host',
  href: `/websites/${id}/redirects`,
});

/** Accepts a website by its name, or by one of its loaded hosts. */
export function hasText(text: string): (website: Website) => boolean {
  const matches = wordMatcher(text);
  return ({ name, hosts }) => matches(name) || hosts.some(({ hostname }) => hostname.includes(text.toLowerCase()));
}

/** Accepts a name if each word of the text begins a word of it. */
export function wordMatcher(text: string): (name: string) => boolean {
  const wanted = text.toLowerCase().split(/\s+/);
  return (name) => {
    const words = name.toLowerCase().split(/\s+/);
    return wanted.every((part) => words.some((word) => word.startsWith(part)));
  };
}
