/** A cell of CSV (RFC 4180), quoted where it must be. A spreadsheet would run one that begins like a formula, so an apostrophe goes before it. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
