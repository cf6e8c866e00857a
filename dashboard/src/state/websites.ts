import { computed, signal } from '@preact/signals';
import { getWebsite, listWebsites, updateWebsite } from '../api/websites.ts';
import type { Website } from '../api/client/wire.ts';
import { currentLocation, type Params } from '../router.ts';
import { matchPath } from '../urls.ts';
import { readStored, writeStored } from './browser.ts';

/** The websites of the account, sorted by name; undefined until they are loaded. */
export const websites = signal<Website[] | undefined>(undefined);

const LAST_WEBSITE = 'detour.website';

export async function loadWebsites(signal?: AbortSignal): Promise<void> {
  setWebsites((await listWebsites(signal)).websites);
}

/** Stores a website that the service returned, so that every screen shows it. */
export function upsertWebsite(website: Website): void {
  setWebsites([...(websites.value ?? []).filter((other) => other.id !== website.id), website]);
}

/** Adds hosts to those that targets of a website may have. */
export async function allowTargetHosts(websiteId: number, hosts: readonly string[]): Promise<void> {
  const { allowed_target_hosts: allowed } = (await getWebsite(websiteId)).website;
  const body = { allowed_target_hosts: [...new Set([...allowed, ...hosts])] };
  upsertWebsite((await updateWebsite(websiteId, body)).website);
}

export function dropWebsite(id: number): void {
  setWebsites((websites.value ?? []).filter((other) => other.id !== id));
}

function setWebsites(list: Website[]): void {
  websites.value = list.toSorted((a, b) => a.name.localeCompare(b.name));
}

/** The website of a route; undefined if the account has no such website. */
export const useWebsite = ({ websiteId }: Params): Website | undefined =>
  websites.value?.find(({ id }) => String(id) === websiteId);

/** The website in the URL; undefined on pages of the account. */
export const openWebsite = computed<Website | undefined>(() => {
  const [, first, id] = currentLocation.value.path.split('/');
  return first === 'websites' ? websites.value?.find((website) => String(website.id) === id) : undefined;
});

/** The website in the URL; on other pages the last one that was open. */
export const currentWebsite = computed<Website | undefined>(() => {
  const list = websites.value ?? [];
  return openWebsite.value ?? list.find((website) => String(website.id) === lastWebsite()) ?? list[0];
});

const lastWebsite = (): string | undefined => readStored(LAST_WEBSITE);

export const rememberWebsite = (id: number): void => writeStored(LAST_WEBSITE, String(id));

/** The path of the current screen for another website; its Home if the current screen is not about a website. */
export function sameScreenPath(websiteId: number): string {
  const screen = matchPath('/websites/:websiteId/:screen', currentLocation.value.path)?.['screen'];
  return `/websites/${websiteId}${screen === undefined ? '' : `/${screen}`}`;
}
