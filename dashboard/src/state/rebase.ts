/** A form whose record someone else has changed since it was opened. */

/** The side whose value a field gets that both have changed. */
export type Side = 'mine' | 'theirs';

/** The record that the form started from, and as it is now. */
export interface Newer<Fields> {
  base: Fields;
  current: Fields;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The draft on top of a newer state of the record: a field that only one side has changed keeps that change. */
export function rebased<Fields extends object>(draft: Fields, { base, current }: Newer<Fields>, side: Side): Fields {
  const keepsMine = (name: keyof Fields): boolean =>
    !isSame(draft[name], base[name]) && (side === 'mine' || isSame(current[name], base[name]));
  const entries = Object.entries(current).map(([key, value]): [string, unknown] => {
    const name = key as keyof Fields;
    return [key, keepsMine(name) ? draft[name] : value];
  });
  return Object.fromEntries(entries) as Fields;
}

/** True if a field has been changed by both sides, to different values. */
export function hasConflict<Fields extends object>(draft: Fields, newer: Newer<Fields>): boolean {
  return !isSame(rebased(draft, newer, 'mine'), rebased(draft, newer, 'theirs'));
}
