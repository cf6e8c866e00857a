import { computed, effect, signal } from '@preact/signals';
import type { Environment } from '../../../src/vocabulary/environment.ts';
import { ACCOUNT_SECTIONS, type NavEntry, navHref, placeOf, WEBSITE_SECTIONS } from '../nav.ts';
import { currentLocation, query } from '../router.ts';
import { highestRole } from '../state/session.ts';
import { openWebsite } from '../state/websites.ts';
import { environmentIn } from '../urls.ts';

/** The section and the screen that are open. */
export const place = computed(() => {
  const website = openWebsite.value;
  const { path } = currentLocation.value;
  return website ? placeOf(WEBSITE_SECTIONS, `/websites/${website.id}`, path) : placeOf(ACCOUNT_SECTIONS, '', path);
});

/** False for a screen that has only a notice for this user. */
export const isOpenTo = ({ isOfOwners = false }: NavEntry): boolean => !isOfOwners || highestRole.value === 'owner';

/** The environment that was shown last. */
const environment = signal<Environment>('production');
effect(() => {
  if (place.value?.screen.ofEnvironment) environment.value = environmentIn(query.value);
});

/** The URL of a screen of a website, in the environment that was shown last. */
export const websiteHref = (websiteId: number, screen: NavEntry): string =>
  navHref(`/websites/${websiteId}`, screen, environment.value);
