/** Lines of Home that are hidden in this browser until the next day. */
import { signal } from '@preact/signals';
import { readStored, writeStored } from '../../state/browser.ts';
import type { NeedGroup } from './need-groups.ts';
import type { HomeNeed } from './need-text.ts';

const STORED = 'later';

/** Times in milliseconds until which lines are hidden, by `keyOf`. */
const hidden = signal(parse(readStored(STORED)));

function parse(text: string | undefined): Record<string, number> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, number>;
  } catch {
    return {};
  }
}

/**
 * A need that begins again is another line. The time of lost URLs is that of their last count, and that of loops is the
 * deployment: another path or number of paths makes loops another line.
 */
function keyOf({ kind, website_id: website, environment, subject_id: id, since, subject, count }: HomeNeed): string {
  const began = kind === 'loops.live' ? `${count} ${subject}` : kind === 'urls.lost' ? null : since;
  return JSON.stringify([kind, website, environment, id, began]);
}

function store(lines: Record<string, number>): void {
  hidden.value = lines;
  writeStored(STORED, Object.keys(lines).length > 0 ? JSON.stringify(lines) : undefined);
}

/** Hides a line until the next midnight of the browser. */
export function hideUntilTomorrow(need: HomeNeed, now = new Date()): void {
  const current = Object.entries(hidden.value).filter(([, until]) => until > now.getTime());
  const tomorrow = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime();
  store({ ...Object.fromEntries(current), [keyOf(need)]: tomorrow });
}

export const showHidden = (): void => store({});

/** The groups without the hidden rows, and how many rows are hidden. */
export function withoutHidden(groups: readonly NeedGroup[], now = Date.now()) {
  const isShown = ({ need }: { need: HomeNeed }): boolean => (hidden.value[keyOf(need)] ?? 0) <= now;
  const shown = groups.flatMap(({ title, rows: all }): NeedGroup[] => {
    const rows = all.filter(isShown);
    const count = rows.reduce((sum, { parts }) => sum + Math.max(parts.length, 1), 0);
    return rows.length === 0 ? [] : [{ title, rows, count }];
  });
  const rowsOf = (some: readonly NeedGroup[]): number => some.reduce((sum, { rows }) => sum + rows.length, 0);
  return { shown, hidden: rowsOf(groups) - rowsOf(shown) };
}
