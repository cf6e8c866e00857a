/** Texts about users: their roles and websites, and the devices that they use. */
import type { Role, WebsiteRoles } from '../../../../src/vocabulary/actor.ts';

export const ROLE_DESCRIPTIONS: Record<Role, string> = {
  owner: 'Full access, including users, API keys, webhooks and deleting websites.',
  editor: 'Can edit redirects, import, deploy and change website settings.',
  viewer: 'Read-only access.',
};

export const ROLE_LABEL: Record<Role, string> = { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' };

/** The number of websites that a user reaches. */
export function websitesText(roles: WebsiteRoles | null): string {
  if (!roles) return 'All websites';
  const { length: count } = Object.keys(roles);
  return count === 0 ? 'No website' : count === 1 ? '1 website' : `${count} websites`;
}

/** Browsers by User-Agent, first match wins: each browser also names the ones it descends from. */
const BROWSERS = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/HeadlessChrome\//, 'Headless Chrome'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;

const SYSTEMS = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Windows/, 'Windows'],
  [/Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** `Firefox on Linux`; for other clients the first word, such as `curl/8.5`. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown client';
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return userAgent.split(' ', 1)[0] ?? userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** Emails as a person lists them, each once; a text without any as it is, so that the service says why it is invalid. */
export function emailsOf(typed: string): string[] {
  const emails = typed.split(/[\s,;]+/).filter((email) => email !== '');
  return emails.length === 0 ? [typed] : [...new Set(emails)];
}
