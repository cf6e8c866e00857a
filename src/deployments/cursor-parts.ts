/** What a cursor of a list that cannot change says: which list, and numbers (NaN for what is none); a name of undefined where it is no cursor. */
export function partsOf(cursor: string): [name: unknown, ...numbers: number[]] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(parts)) return [undefined];
    const [name, ...numbers]: unknown[] = parts;
    return [name, ...numbers.map((value) => (typeof value === 'number' ? value : NaN))];
  } catch {
    return [undefined];
  }
}
