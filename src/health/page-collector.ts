/** Entries of one list on one page. */
export const PAGE = 1_000;

export interface Entry<T> {
  id: number;
  value: T;
}

/** Counts all entries of a list that come in any order, and keeps those of one page: the first by id behind `after`. */
export interface FirstEntries<T> {
  readonly count: number;
  note(id: number, value: T): void;
  /** in order of id; one more than a page where there are more */
  kept(): Entry<T>[];
}

export function createFirstEntries<T>(after: number): FirstEntries<T> {
  let count = 0;
  let kept: Entry<T>[] = [];
  let beyond = Infinity;
  const tidy = (): void => {
    kept.sort((one, other) => one.id - other.id);
    kept = kept.slice(0, PAGE + 1);
    beyond = kept[PAGE]?.id ?? Infinity;
  };
  return {
    get count() {
      return count;
    },
    note(id, value) {
      count++;
      if (id <= after || id > beyond) return;
      // Sorted now and then: twice a page at a time costs each entry next to nothing.
      if (kept.push({ id, value }) > 2 * PAGE) tidy();
    },
    kept() {
      tidy();
      return kept;
    },
  };
}
