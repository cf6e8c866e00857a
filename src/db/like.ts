/** Returns the pattern of LIKE and ILIKE that matches every text which contains this one, wildcards taken literally. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
