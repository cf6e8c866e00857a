/** The compared versions and the filters, kept in the URL so that a link shows the same. */
import { type Environment, isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { environmentIn } from '../../urls.ts';

export const KINDS = ['added', 'changed', 'removed'] as const;
export type Kind = (typeof KINDS)[number];
/** Limits of a difference: a kind, or removed redirects that are not meant for the environment. */
export const FILTERS = [...KINDS, 'not_targeted'] as const;
export type Filter = (typeof FILTERS)[number];

/** Stands for all kinds in the URL of a difference that opens on one of them. */
export const ALL = 'all';

/** The kind in the URL, otherwise the one that the difference opens on; undefined: all. */
export function kindIn(query: URLSearchParams, start: Kind | undefined): Filter | undefined {
  const show = query.get('show');
  return show === ALL ? undefined : (FILTERS.find((each) => each === show) ?? start);
}

/** Value of the URL that shows a kind; undefined: the difference opens on it. */
export const showOf = (kind: Filter | undefined, start: Kind | undefined): string | undefined =>
  kind === start ? undefined : (kind ?? ALL);

/** Listed deployments of an environment. */
export const MAX_VERSIONS = 1_000;

/** `live`, `draft`, `none` (as `from`) or the number of a version. */
export type VersionName = string;

export interface CompareView {
  environment: Environment;
  /** of `to` */
  toEnvironment: Environment;
  from: VersionName;
  to: VersionName;
}

const isVersion = (text: string): boolean => /^(live|draft|[1-9]\d{0,8})$/.test(text);

export function compareViewOf(query: URLSearchParams): CompareView {
  const version = (name: string, otherwise: VersionName): VersionName => {
    const text = query.get(name) ?? '';
    return isVersion(text) ? text : otherwise;
  };
  const environment = environmentIn(query);
  const toEnvironment = query.get('to_environment') ?? '';
  return {
    environment,
    toEnvironment: isEnvironment(toEnvironment) ? toEnvironment : environment,
    from: query.get('from') === 'none' ? 'none' : version('from', 'live'),
    to: version('to', 'draft'),
  };
}

export function compareUrl(
  websiteId: number,
  { environment, from, to }: Pick<CompareView, 'environment' | 'from' | 'to'>,
): string {
  return `/websites/${websiteId}/deployments/compare?environment=${environment}&from=${from}&to=${to}`;
}

export function versionLabel(version: VersionName): string {
  if (version === 'none') return 'No redirects';
  if (version === 'live') return 'Live version';
  return version === 'draft' ? 'Current redirects' : `Version ${version}`;
}

/** The versions that are chosen in the history, the older first; at most two. */
export function chosenIn(query: URLSearchParams): number[] {
  const numbers = (query.get('compare') ?? '').split(',').filter((text) => /^[1-9]\d{0,8}$/.test(text));
  return [...new Set(numbers.map(Number))].slice(0, 2).toSorted((a, b) => a - b);
}

/** The choice after a click on a version: a third one replaces the first. */
export function chooseVersion(chosen: readonly number[], version: number): number[] {
  if (chosen.includes(version)) return chosen.filter((each) => each !== version);
  return [...chosen, version].slice(-2);
}
