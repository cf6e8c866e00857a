import { computed } from '@preact/signals';
import { matchPath } from '../urls.ts';
import { type Params, currentLocation } from '../router.ts';
import { type Route, ROUTES } from '../routes.ts';

export const SIGN_IN = '/sign-in';
export const HOME = '/';

/** The route of the current location with its parameters; undefined if no route matches. */
export const currentRoute = computed<{ route: Route; params: Params } | undefined>(() => {
  const { path } = currentLocation.value;
  for (const route of ROUTES) {
    const params = matchPath(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
});

/** True for paths that the dashboard shows without a page load. */
export function isPage(path: string): boolean {
  return path === HOME || path === SIGN_IN || ROUTES.some((route) => matchPath(route.path, path) !== undefined);
}
