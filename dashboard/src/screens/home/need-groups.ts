/** The things that need attention, by urgency, and those that many websites share as one row. */
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { Need } from '../../api/client/wire.ts';
import { type HomeNeed, needText } from './need-text.ts';

const SOON: readonly Need['kind'][] = ['key.ends_soon', 'redirect.ends_soon', 'redirect.starts_soon', 'quota.near'];

/** The titles of the groups, the most urgent first. */
const TITLES = ['Broken now', 'Waits for you', 'Soon'] as const;
const WAITS_FOR_EDITOR = 'Waits for an editor';

/** More websites with an equal need are one row. */
const MAX_WEBSITES = 3;

export interface NeedRow {
  need: HomeNeed;
  /** the needs that the row stands for; empty: only `need` */
  parts: readonly HomeNeed[];
}

export interface NeedGroup {
  title: string;
  /** of the needs */
  count: number;
  rows: NeedRow[];
}

/** The groups that have rows, each in the order of `needs`. `isEditor`: the user can do what waits. */
export function groupedNeeds(needs: readonly Need[], isEditor = true): NeedGroup[] {
  const byTitle = Map.groupBy(withoutTwins(needs), titleOf);
  return TITLES.flatMap((title) => {
    const found = byTitle.get(title) ?? [];
    if (found.length === 0) return [];
    const shown = title === 'Waits for you' && !isEditor ? WAITS_FOR_EDITOR : title;
    return [{ title: shown, count: found.length, rows: rowsOf(found) }];
  });
}

/** A deployment that failed because of expectations, and the expectations that fail there, are one line. */
function withoutTwins(needs: readonly Need[]): HomeNeed[] {
  const placeOf = ({ website_id: id, environment }: Need): string => `${id} ${environment}`;
  const gates = needs.filter(({ kind, subject }) => kind === 'deployment.gated' && isOfExpectations(subject));
  const gated = new Set(gates.map(placeOf));
  const failing = needs.filter((need) => need.kind === 'expectations.failing' && gated.has(placeOf(need)));
  const twins = new Map(failing.map((need) => [placeOf(need), need]));
  return needs.flatMap((need): HomeNeed[] => {
    const twin = twins.get(placeOf(need));
    if (twin === need) return [];
    return twin && gates.includes(need) ? [{ ...twin, since: need.since, is_gate: true }] : [need];
  });
}

const isOfExpectations = (error: string | null): boolean => error?.startsWith('EXPECTATIONS_FAILED') ?? false;

function titleOf(need: HomeNeed): (typeof TITLES)[number] {
  if (needText(need).isBad) return 'Broken now';
  return SOON.includes(need.kind) ? 'Soon' : 'Waits for you';
}

function rowsOf(needs: readonly HomeNeed[]): NeedRow[] {
  const alike = Map.groupBy(needs, ({ kind, environment, is_gate: isGate }) => `${kind} ${environment} ${isGate}`);
  return [...alike.values()].flatMap((parts) => {
    const [first] = parts;
    return first && countWebsites(parts) > MAX_WEBSITES
      ? [{ need: sumOf(first, parts), parts }]
      : parts.map((need) => ({ need, parts: [] }));
  });
}

/** The account itself is no website. */
export const countWebsites = (needs: readonly Need[]): number =>
  new Set(needs.flatMap(({ website_id: id }) => id ?? [])).size;

/** All of the needs as one, which names none of their things. */
function sumOf(first: HomeNeed, needs: readonly HomeNeed[]): HomeNeed {
  return {
    ...first,
    environments: ENVIRONMENTS.filter((each) => needs.some(({ environments }) => environments.includes(each))),
    count: needs.reduce((sum, { count }) => sum + count, 0),
    count_is_at_least: needs.some(({ count_is_at_least: isMore }) => isMore),
    count_is_stale: needs.some(({ count_is_stale: isStale }) => isStale),
    hits: first.hits === null ? null : needs.reduce((sum, { hits }) => sum + (hits ?? 0), 0),
    ...{ subject: null, subject_id: null, since: null },
  };
}
