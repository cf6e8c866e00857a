/** Entries of one list on one page. */
export const PAGE = 1_000;

export interface Entry<T> {
  id: number;
  value: T;
}

/** Counts the entries of a list, and retains those of one page: the first by id after `after`. */
export interface PageCollector<T> {
  readonly count: number;
  /** Adds an entry. Ids come in any order. */
  add(id: number, value: T): void;
  /** The retained entries by id: one more than a page if there is a next page. */
  entries(): Entry<T>[];
}

export function createPageCollector<T>(after: number): PageCollector<T> {
  let count = 0;
  let retained: Entry<T>[] = [];
  let lastId = Infinity;
  const trim = (): void => {
    retained.sort((one, other) => one.id - other.id);
    retained = retained.slice(0, PAGE + 1);
    lastId = retained[PAGE]?.id ?? Infinity;
  };
  return {
    get count() {
      return count;
    },
    add(id, value) {
      count++;
      if (id <= after || id > lastId) return;
      // Sorting once per page of entries keeps the cost per entry small.
      if (retained.push({ id, value }) > 2 * PAGE) trim();
    },
    entries() {
      trim();
      return retained;
    },
  };
}
