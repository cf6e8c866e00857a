/** The page of a redirect: its URL, which has the filters of the list, and whether the list is beside it. */
import { computed } from '@preact/signals';
import type { Redirect } from '../../api/client/wire.ts';
import { closeTo, currentLocation, go, urlWith } from '../../router.ts';
import { media } from '../../ui/list/viewport.ts';
import { matchPath, redirectUrl } from '../../urls.ts';

/** The redirect in the URL, as text; undefined on the list. */
export const openId = computed(
  () => matchPath('/websites/:websiteId/redirects/:redirectId', currentLocation.value.path)?.['redirectId'],
);

/** wide enough for list and page */
export const isWide = media('(width >= 1280px)');
/** wide enough for columns beside the page */
const isVeryWide = media('(width >= 1400px)');
const isPhone = media('(width < 720px)');
const isTablet = media('(width < 1100px)');

/** too narrow for columns */
export const isNarrow = computed(() => isPhone.value || (openId.value !== undefined && !isVeryWide.value));

/** too narrow for all filters on one line */
export const isMedium = computed(() => isTablet.value || (openId.value !== undefined && isWide.value));

const NO_PANEL = { open: undefined, new: undefined, pattern: undefined };

export const pageUrl = (websiteId: number, id: number | string): string =>
  urlWith(NO_PANEL, redirectUrl(websiteId, id));

/** Opens the page. From another one, without a step of Back; if it is open, moves the focus to its first field. */
export function openRedirect({ id, website_id: websiteId }: Pick<Redirect, 'id' | 'website_id'>): void {
  if (openId.peek() === String(id)) focusPage();
  else go(pageUrl(websiteId, id), { replace: openId.peek() !== undefined });
}

function focusPage(): void {
  const page = document.querySelector('.redirect-page');
  const field = page?.querySelector<HTMLElement>('form input:required') ?? page?.querySelector('h2');
  field?.focus();
}

/** Closes the page and the dialog of a new redirect. */
export const closePage = (websiteId: number): void => closeTo(urlWith(NO_PANEL, `/websites/${websiteId}/redirects`));
