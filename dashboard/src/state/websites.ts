import { computed, signal } from '@preact/signals';
import { listWebsites } from '../api/websites.ts';
import type { Website } from '../api/wire.ts';
import { matchPath } from '../match-path.ts';
import { currentLocation } from '../router.ts';

/** The websites of the account, by name; undefined until they are known. */
export const websites = signal<Website[] | undefined>(undefined);

const LAST_WEBSITE = 'detour.website';

export async function loadWebsites(signal?: AbortSignal): Promise<void> {
  setWebsites((await listWebsites(signal)).websites);
}

/** Takes in what a call answered, so that every screen shows it at once. */
export function upsertWebsite(website: Website): void {
  setWebsites([...(websites.value ?? []).filter((other) => other.id !== website.id), website]);
}

export function dropWebsite(id: number): void {
  setWebsites((websites.value ?? []).filter((other) => other.id !== id));
}

function setWebsites(list: Website[]): void {
  websites.value = list.toSorted((a, b) => a.name.localeCompare(b.name));
}

/** The website of the address; elsewhere the one that was looked at last. */
export const currentWebsite = computed<Website | undefined>(() => {
  const [, , id] = currentLocation.value.path.startsWith('/websites/')
    ? currentLocation.value.path.split('/')
    : [];
  const list = websites.value ?? [];
  const named = list.find((website) => String(website.id) === id);
  return named ?? list.find((website) => String(website.id) === lastWebsite()) ?? list[0];
});

/** A convenience only: where the browser keeps nothing, the first website is as good. */
function lastWebsite(): string | undefined {
  try {
    return localStorage.getItem(LAST_WEBSITE) ?? undefined;
  } catch {
    return undefined;
  }
}

export function rememberWebsite(id: number): void {
  try {
    localStorage.setItem(LAST_WEBSITE, String(id));
  } catch {
    // Private windows may refuse.
  }
}

/** The same screen of another website, or its redirects where the present screen is of no website. */
export function sameScreenPath(websiteId: number): string {
  const screen = matchPath('/websites/:websiteId/:screen', currentLocation.value.path)?.['screen'];
  return `/websites/${websiteId}/${screen ?? 'redirects'}`;
}
