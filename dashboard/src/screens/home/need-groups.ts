/** The things that need attention, by urgency, and those that many websites share as one row. */
import { ENVIRONMENTS } from '../../../../src/vocabulary/environment.ts';
import type { Need } from '../../api/client/wire.ts';
import { needText } from './need-text.ts';

const SOON: readonly Need['kind'][] = ['key.ends_soon', 'redirect.ends_soon', 'redirect.starts_soon', 'quota.near'];

/** The titles of the groups, the most urgent first. */
const TITLES = ['Broken now', 'Waits for you', 'Soon'] as const;
const WAITS_FOR_EDITOR = 'Waits for an editor';

/** More websites with an equal need are one row. */
const MAX_WEBSITES = 3;

export interface NeedRow {
  need: Need;
  /** the needs that the row stands for; empty: only `need` */
  parts: readonly Need[];
}

export interface NeedGroup {
  title: string;
  /** of the needs */
  count: number;
  rows: NeedRow[];
}

/** The groups that have rows, each in the order of `needs`. `isEditor`: the user can do what waits. */
export function groupedNeeds(needs: readonly Need[], isEditor = true): NeedGroup[] {
  const byTitle = Map.groupBy(needs, titleOf);
  return TITLES.flatMap((title) => {
    const found = byTitle.get(title) ?? [];
    if (found.length === 0) return [];
    const shown = title === 'Waits for you' && !isEditor ? WAITS_FOR_EDITOR : title;
    return [{ title: shown, count: found.length, rows: rowsOf(found) }];
  });
}

function titleOf(need: Need): (typeof TITLES)[number] {
  if (needText(need).isBad) return 'Broken now';
  return SOON.includes(need.kind) ? 'Soon' : 'Waits for you';
}

function rowsOf(needs: readonly Need[]): NeedRow[] {
  const alike = Map.groupBy(needs, ({ kind, environment }) => `${kind} ${environment}`);
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
function sumOf(first: Need, needs: readonly Need[]): Need {
  return {
    ...first,
    environments: ENVIRONMENTS.filter((each) => needs.some(({ environments }) => environments.includes(each))),
    count: needs.reduce((sum, { count }) => sum + count, 0),
    count_is_at_least: needs.some(({ count_is_at_least: isMore }) => isMore),
    count_is_stale: needs.some(({ count_is_stale: isStale }) => isStale),
    ...{ subject: null, subject_id: null, since: null },
  };
}
