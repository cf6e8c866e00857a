/** The things that need attention, by urgency, and those that many websites share as one row. */
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import { type HomeNeed, isShown, withoutTwins } from '../../state/shown-needs.ts';
import { needText } from './need-text.ts';

const SOON: readonly HomeNeed['kind'][] = ['key.ends_soon', 'redirect.ends_soon', 'redirect.starts_soon', 'quota.near'];

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
export function groupedNeeds(needs: readonly HomeNeed[], isEditor = true): NeedGroup[] {
  const byTitle = Map.groupBy(withoutTwins(needs), titleOf);
  return TITLES.flatMap((title) => {
    const found = byTitle.get(title) ?? [];
    if (found.length === 0) return [];
    const shown = title === 'Waits for you' && !isEditor ? WAITS_FOR_EDITOR : title;
    return [{ title: shown, count: found.length, rows: rowsOf(found) }];
  });
}

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
export const countWebsites = (needs: readonly HomeNeed[]): number =>
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

/** The groups without the hidden rows, and how many rows are hidden. */
export function withoutHidden(groups: readonly NeedGroup[], now = Date.now()) {
  const shown = groups.flatMap(({ title, rows: all }): NeedGroup[] => {
    const rows = all.filter(({ need }) => isShown(need, now));
    const count = rows.reduce((sum, { parts }) => sum + Math.max(parts.length, 1), 0);
    return rows.length === 0 ? [] : [{ title, rows, count }];
  });
  const rowsOf = (some: readonly NeedGroup[]): number => some.reduce((sum, { rows }) => sum + rows.length, 0);
  return { shown, hidden: rowsOf(groups) - rowsOf(shown) };
}
