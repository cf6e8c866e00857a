/** The fields of a partial input that were given: what is undefined counts as left out, null does not. */
export function omitUndefined<T extends object>(input: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // The entries are those of `input` less the undefined ones, which is what the type says.
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
