/**
 * Reads single headers from `rawHeaders`, which alternates names and values. `request.headers` would convert all of
 * them, which costs as much as the rest of the edge.
 */

/** The Host header; empty without one, null if there are several. Node's parsed headers contain only the first. */
export function onlyHost(rawHeaders: readonly string[]): string | null {
  let host: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!isHeader(rawHeaders[i] ?? '', 'host')) continue;
    if (host !== undefined) return null;
    host = rawHeaders[i + 1] ?? '';
  }
  return host ?? '';
}

/** The first value of a header; undefined without one. `name` has letters, digits and hyphens. */
export function firstValue(rawHeaders: readonly string[], name: string): string | undefined {
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHeader(rawHeaders[i] ?? '', name)) return rawHeaders[i + 1];
  return undefined;
}

/** All values of a header in one list with commas, as a proxy may combine them (RFC 9110, 5.3). */
export function joinedValues(rawHeaders: readonly string[], name: string): string | undefined {
  let values: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!isHeader(rawHeaders[i] ?? '', name)) continue;
    const value = rawHeaders[i + 1] ?? '';
    values = values === undefined ? value : `${values}, ${value}`;
  }
  return values;
}

/** The bit in which upper and lower case differ. */
const CASE = 32;

function isHeader(name: string, wanted: string): boolean {
  if (name.length !== wanted.length) return false;
  for (let i = 0; i < wanted.length; i++)
    if ((name.charCodeAt(i) | CASE) !== (wanted.charCodeAt(i) | CASE)) return false;
  return true;
}
