/**
 * Columns of a batch as array literals of PostgreSQL. The driver's own way with arrays takes each value apart to see what it is, which
 * cost more than all else that is done to a row here.
 */

export function numbers(values: number[]): string {
  return `{${values.join(',')}}`;
}

/** Words of letters alone, such as the names of environments. */
export function words(values: string[]): string {
  return `{${values.join(',')}}`;
}

export function texts(values: string[]): string {
  return `{${values.map((value) => `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`).join(',')}}`;
}

export function bytes(values: Buffer[]): string {
  return `{${values.map((value) => `"\\\\x${value.toString('hex')}"`).join(',')}}`;
}

/** From milliseconds since the epoch. */
export function times(values: number[]): string {
  return `{${values.map((value) => `"${new Date(value).toISOString()}"`).join(',')}}`;
}
