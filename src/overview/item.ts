/** Items of the overview: the input of their readers, their order, and how many there are. */
import type { Queryable } from '../db/connection/client.ts';
import type { LiveSite } from '../deployments/live/live-registry.ts';
import type { Actor } from '../vocabulary/actor.ts';
import { type Environment, ENVIRONMENTS } from '../vocabulary/environment.ts';
import { MAX_ITEMS_OF_KIND, OVERVIEW_KINDS, type OverviewKind } from '../vocabulary/overview.ts';

/** The live rules of an environment in the memory of this process; undefined if none are live. */
export type LiveSites = (websiteId: number, environment: Environment) => LiveSite | undefined;

/** The input of a reader of items, which reads all websites by one statement. */
export interface OverviewScope {
  db: Queryable;
  actor: Actor;
  /** websites that the actor reaches; those of a call that names one: only that */
  ids: number[];
  now: Date;
  live: LiveSites;
}

export interface OverviewItem {
  kind: OverviewKind;
  /** null: of the account */
  websiteId: number | null;
  /** null: of no environment, or of all */
  environment: Environment | null;
  /** of broken targets: those of the redirects; otherwise empty */
  environments: Environment[];
  /** how many things; of a move its undecided rows */
  count: number;
  /** there may be more than `count` */
  countIsAtLeast: boolean;
  /** of lost URLs: they changed after the count */
  countIsStale: boolean;
  /** of unmatched paths: their hits by people; otherwise null */
  hits: number | null;
  /** the name or path of the most important thing */
  subject: string | null;
  subjectId: string | null;
  /** since when, or for what soon starts or ends, when; null: unknown */
  since: Date | null;
}

/** The fields that an item needs; the others are null or empty, and the count is exact. */
export type NewItem = Pick<OverviewItem, 'kind' | 'count'> & Partial<OverviewItem>;

export const itemOf = (item: NewItem): OverviewItem => ({
  websiteId: null,
  environment: null,
  environments: [],
  countIsAtLeast: false,
  countIsStale: false,
  hits: null,
  subject: null,
  subjectId: null,
  since: null,
  ...item,
});

/**
 * Keeps the first 20 items of a kind and website that name one thing each. The last of them then stands for itself and
 * the rest: it counts all of their things and has no subject.
 */
export function boundedItems(items: OverviewItem[]): OverviewItem[] {
  const groups = Map.groupBy(items, ({ kind, websiteId }) => `${kind} ${websiteId}`);
  return [...groups.values()].flatMap((group) => {
    if (group.length <= MAX_ITEMS_OF_KIND) return group;
    const [first = group[0], ...others] = group.slice(MAX_ITEMS_OF_KIND - 1);
    if (!first) return group;
    const { kind, websiteId, environment } = first;
    const count = others.reduce((sum, other) => sum + other.count, first.count);
    return [...group.slice(0, MAX_ITEMS_OF_KIND - 1), itemOf({ kind, websiteId, environment, count })];
  });
}

/** Sorts by severity, name of the website (the account's own first), and environment. */
export function sortedItems(items: OverviewItem[], names: ReadonlyMap<number, string>): OverviewItem[] {
  const nameOf = ({ websiteId }: OverviewItem): string => (websiteId === null ? '' : (names.get(websiteId) ?? ''));
  const placeOf = ({ environment }: OverviewItem): number => (environment ? ENVIRONMENTS.indexOf(environment) : -1);
  return items.toSorted(
    (a, b) =>
      OVERVIEW_KINDS.indexOf(a.kind) - OVERVIEW_KINDS.indexOf(b.kind) ||
      nameOf(a).localeCompare(nameOf(b), 'en') ||
      (a.websiteId ?? 0) - (b.websiteId ?? 0) ||
      placeOf(a) - placeOf(b),
  );
}
