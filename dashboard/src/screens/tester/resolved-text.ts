import type { ResolvedUrls } from '../../api/client/wire.ts';

export type ResolvedUrl = ResolvedUrls['results'][number];

/** Kinds of results, by which a list is filtered. */
export type ResultKind = 'redirected' | 'chain' | 'loop' | 'gone' | 'missing' | 'fallback';

export const KIND_TEXT: Record<ResultKind, { label: string; tone: '' | 'ok' | 'warn' | 'danger' }> = {
  redirected: { label: 'Redirected', tone: 'ok' },
  chain: { label: 'Chain', tone: 'warn' },
  loop: { label: 'Loop', tone: 'danger' },
  gone: { label: 'Gone', tone: '' },
  fallback: { label: 'Fallback', tone: '' },
  missing: { label: 'Not found', tone: 'warn' },
};

/** The kind of a result. A status without a target, such as 410, is `gone`. */
export function kindOf({ outcome, hops, location, redirect_id: id }: ResolvedUrl): ResultKind {
  if (outcome === 'loop' || outcome === 'too-many') return 'loop';
  if (hops.length === 0) return id === null && location !== null ? 'fallback' : 'missing';
  if (hops.length > 1) return 'chain';
  return location === null ? 'gone' : 'redirected';
}

/** The results as tab-separated text for a spreadsheet, with a header. */
export function sheetOf(results: readonly ResolvedUrl[]): string {
  const rows = results.map((result) => [
    result.url,
    KIND_TEXT[kindOf(result)].label,
    String(result.status_code),
    result.location ?? '',
    String(result.hops.length),
    result.final_url,
  ]);
  return [['URL', 'Result', 'Status', 'Location', 'Redirects', 'Final URL'], ...rows]
    .map((row) => row.map(sheetCell).join('\t'))
    .join('\n');
}

/** Spreadsheets read a cell that begins with one of these characters as a formula. */
function sheetCell(text: string): string {
  const oneLine = text.replaceAll(/[\t\r\n]/g, ' ');
  return /^[=+\-@]/.test(oneLine) ? ` ${oneLine}` : oneLine;
}
