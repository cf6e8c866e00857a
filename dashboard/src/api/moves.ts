/** Moves: their rows, decisions, rules and what they write. */
import type { Environment } from '../../../src/vocabulary/environment.ts';
import type { Confidence, Decision } from '../../../src/vocabulary/moves.ts';
import { call, type LastResponse, type NextPage, type PageQuery, queryText } from './client/client.ts';
import type { Decided, DecidedRows, Move, MoveRow, MoveSummary } from './client/wire.ts';

const pathOf = (websiteId: number, moveId?: string): string =>
  `/api/v1/websites/${websiteId}/moves${moveId === undefined ? '' : `/${moveId}`}`;

/** The newest moves first. */
export const listMoves = (websiteId: number, query: PageQuery, signal?: AbortSignal) =>
  call<NextPage & { moves: MoveSummary[] }>('GET', pathOf(websiteId), { query: { ...query }, signal });

export const fetchMove = (websiteId: number, moveId: string, signal: AbortSignal, last: LastResponse) =>
  call<{ move: Move }>('GET', pathOf(websiteId, moveId), { signal, last });

export interface NewMove {
  name: string;
  /** undefined: the lost URLs of the website */
  from: File | undefined;
  /** undefined: living pages, those of `to_host` if it is a host of another website */
  to: File | undefined;
  to_host: string;
  from_hosts: string;
}

export function createMove(websiteId: number, { name, from, to, to_host, from_hosts }: NewMove) {
  const form = new FormData();
  form.set('name', name);
  if (to_host !== '') form.set('to_host', to_host);
  if (from_hosts !== '') form.set('from_hosts', from_hosts);
  if (from) form.set('from', from);
  if (to) form.set('to', to);
  return call<{ move: Move; ignored: number; invalid: number }>('POST', pathOf(websiteId), { form });
}

export const deleteMove = (websiteId: number, moveId: string) => call('DELETE', pathOf(websiteId, moveId));

export const refreshMove = (websiteId: number, moveId: string) =>
  call<{ move: Move }>('POST', `${pathOf(websiteId, moveId)}/refresh`);

export interface RowFilter {
  decision?: Decision | 'none' | undefined;
  confidence?: Confidence | 'none' | undefined;
  q?: string | undefined;
}

export const listMoveRows = (
  websiteId: number,
  moveId: string,
  query: RowFilter & PageQuery & { sort: '-weight' | 'weight' },
  signal?: AbortSignal,
): Promise<NextPage & { rows: MoveRow[] }> =>
  call('GET', `${pathOf(websiteId, moveId)}/rows`, { query: { ...query }, signal });

export type RowDecision = Pick<MoveRow, 'url' | 'decision' | 'target' | 'status_code' | 'revision'>;

/** Characters of decisions that are sent even if the page is closed. */
const MAX_KEPT_CHARS = 20_000;

export const decideRows = (websiteId: number, moveId: string, rows: RowDecision[]) =>
  call<DecidedRows>('PUT', `${pathOf(websiteId, moveId)}/rows`, {
    body: { rows },
    keepalive: JSON.stringify(rows).length < MAX_KEPT_CHARS,
    isRead: true,
  });

/** Returns those of the rows that are not as the screen has them. */
export async function changedRows(websiteId: number, moveId: string, rows: readonly MoveRow[]): Promise<MoveRow[]> {
  const same = rows.map(({ url, revision }) => ({ url, decision: null, revision }));
  const { conflicts } = await call<DecidedRows>('PUT', `${pathOf(websiteId, moveId)}/rows`, {
    body: { rows: same, dry_run: true },
    isRead: true,
  });
  return conflicts.flatMap(({ row }) => row ?? []);
}

/** Decides all rows of a filter. */
export interface FilterDecision {
  filter: RowFilter;
  decision: Decision | 'accept_suggestion' | null;
  target?: string;
  min_confidence?: Confidence;
}

export const decideFilter = (
  websiteId: number,
  moveId: string,
  body: FilterDecision & { dry_run: boolean },
  signal?: AbortSignal,
) => call<DecidedRows>('PUT', `${pathOf(websiteId, moveId)}/rows`, { body, signal, isRead: body.dry_run });

export const undoMove = (websiteId: number, moveId: string, steps: number) =>
  call<DecidedRows>('POST', `${pathOf(websiteId, moveId)}/undo`, { body: { steps } });

export const searchCandidates = (websiteId: number, moveId: string, q: string, signal?: AbortSignal) =>
  call<{ candidates: { url: string; title: string | null }[] }>('GET', `${pathOf(websiteId, moveId)}/candidates`, {
    query: { q, limit: 10 },
    signal,
  });

/** The spreadsheet of all rows. */
export const moveExport = (websiteId: number, moveId: string): string =>
  `${pathOf(websiteId, moveId)}/export${queryText({ format: 'csv' })}`;

export const importMoveRows = (websiteId: number, moveId: string, file: File) =>
  call<DecidedRows>('POST', `${pathOf(websiteId, moveId)}/import`, { file: { content: file, type: 'text/csv' } });

export interface MoveRule {
  pattern: string;
  target: string;
  covers: number;
  agrees: number;
  examples: string[];
}

/** `stored`: rules that the move will write. */
export interface MoveRules {
  rules: MoveRule[];
  stored: { pattern: string; target: string }[];
}

export const fetchMoveRules = (websiteId: number, moveId: string, signal?: AbortSignal) =>
  call<MoveRules>('GET', `${pathOf(websiteId, moveId)}/rules`, { signal });

export const applyMoveRule = (
  websiteId: number,
  moveId: string,
  body: { pattern: string; target: string; as: 'rule' | 'rows' },
) => call<DecidedRows>('POST', `${pathOf(websiteId, moveId)}/rules/apply`, { body });

export const removeMoveRule = (websiteId: number, moveId: string, pattern: string) =>
  call<DecidedRows>('POST', `${pathOf(websiteId, moveId)}/rules/remove`, { body: { pattern } });

export type AppliedMove = Decided & Pick<Move, 'warnings'>;

export interface ApplyOptions {
  target_environments: Environment[];
  group_id?: string | undefined;
  status_code: number;
  expectations: boolean;
  on_conflict?: 'update' | undefined;
  flatten: boolean;
}

export const applyMove = (
  websiteId: number,
  moveId: string,
  body: ApplyOptions & { dry_run: boolean },
  signal?: AbortSignal,
) => call<AppliedMove>('POST', `${pathOf(websiteId, moveId)}/apply`, { body, signal, isRead: body.dry_run });
