/** Reads the spreadsheet of moves/rows/export-rows.ts back. */
import type { Queryable } from '../../db/connection/client.ts';
import { sql } from '../../db/drizzle.ts';
import { fetchRows, queryRows } from '../../db/rows.ts';
import { framedRows, headerDelimiter } from '../../formats/read/csv/framed-rows.ts';
import type { RawRecord } from '../../formats/read/csv/framing.ts';
import { sniffEncoding, utf8Chunks } from '../../formats/rows/encoding.ts';
import type { ImportDeps } from '../../redirects/import/engine/import-request.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import { invalid, type Issue, validationError, wrongParameter } from '../../vocabulary/error.ts';
import { DECISIONS, MAX_MOVE_ROWS } from '../../vocabulary/moves.ts';
import { requireWebsiteRow } from '../../websites/website.ts';
import { checkDecision, createOwnTargets } from './check-decision.ts';
import { type Decided, decideGiven, type NamedDecision } from './decide-rows.ts';
import { addGiven, createGiven, GIVEN } from './write-decisions.ts';
import { DECISION_CELLS, unguardCell } from '../rows/export-rows.ts';
import { lockMove, type MovePlace } from '../move.ts';

export interface ImportRowsInput extends MovePlace {
  /** of the file on disk */
  path: string;
}

/** Invalid rows after which the rest of the file is not checked. */
const MAX_ISSUES = 1_000;
const CHECKED_AT_ONCE = 1_000;

/**
 * Decides the rows of a spreadsheet. A row whose decision is the stored one stays as it is, whatever its revision; another
 * decision with another revision is a conflict. Throws, and applies nothing, as lockMove; VALIDATION_ERROR and
 * INVALID_PARAMETER for rows; MISSING_COLUMN, DUPLICATE_COLUMN, TOO_MANY_ITEMS and BUSY.
 */
export async function importRows(
  { db, permits }: ImportDeps,
  actor: Actor,
  { path, ...place }: ImportRowsInput,
): Promise<Decided> {
  const website = await requireWebsiteRow(db, actor, place.websiteId);
  const ownTarget = createOwnTargets(db, website);
  const work = (): Promise<Decided> =>
    permits.db.transaction(async (tx) => {
      await createGiven(tx);
      for await (const rows of readSpreadsheet(path)) {
        for (const row of rows) row.target = await ownTarget(row.url, row.target);
        await addGiven(tx, rows);
      }
      await tx.execute(sql`analyze ${GIVEN}`);
      const move = await lockMove(tx, actor, place);
      await tx.execute(sql`delete from ${GIVEN} i using move_rows r where r.move_id = ${move.id} and r.url = i.url
        and (r.decision, r.target, r.status_code) is not distinct from (i.decision, i.target, i.status_code)`);
      await checkRows(tx, website.allowedTargetHosts);
      return decideGiven(tx, actor, move, GIVEN, false);
    });
  return permits.withTurn(actor.accountId, () => permits.withPermit(work));
}

type SheetRow = NamedDecision & { line: number };

/** Yields the rows after the header in batches. */
async function* readSpreadsheet(path: string): AsyncGenerator<SheetRow[]> {
  let at: number[] | undefined;
  let count = 0;
  for await (const { records } of framedRows(utf8Chunks(path, await sniffEncoding(path)), headerDelimiter)) {
    if (!at && records.length > 0) at = readHeader(records.shift());
    const rows = records.flatMap((record) => readRow(record, at ?? []) ?? []);
    count += rows.length;
    if (count > MAX_MOVE_ROWS)
      throw invalid('file', `at most ${MAX_MOVE_ROWS.toLocaleString('en')} rows, as a move has`, 'TOO_MANY_ITEMS');
    if (rows.length > 0) yield rows;
  }
  if (!at) throw invalid('file', `is empty; it needs the columns ${DECISION_CELLS.join(', ')}`, 'MISSING_COLUMN');
}

/** Returns where each of DECISION_CELLS is. Other columns are ignored, such as notes. */
function readHeader(header: RawRecord | undefined): number[] {
  const names = (header?.cells ?? []).map((cell) => cell.toLowerCase());
  return DECISION_CELLS.map((name) => {
    const at = names.indexOf(name);
    if (at < 0) throw invalid('file', `the column ${name} is absent; keep that of the export`, 'MISSING_COLUMN');
    if (names.includes(name, at + 1))
      throw invalid('file', `${name} is the name of two columns; keep one`, 'DUPLICATE_COLUMN');
    return at;
  });
}

const place = (line: number, field: string): string => `line ${line}, ${field}`;

function readRow({ line, cells, problem }: RawRecord, at: number[]): SheetRow | undefined {
  if (problem !== undefined) throw invalid(`line ${line}`, problem, 'MALFORMED_ROW');
  if (cells.every((cell) => cell === '')) return undefined;
  const [url = '', written = '', target = '', status = '', revision = ''] = at.map((index) =>
    unguardCell(cells[index] ?? ''),
  );
  const decision = DECISIONS.find((name) => name === written.toLowerCase()) ?? null;
  if (decision === null && written !== '')
    throw invalid(place(line, 'decision'), `must be one of ${DECISIONS.join(', ')}, or empty`);
  if (!/^(\d{3})?$/.test(status))
    throw invalid(place(line, 'status_code'), 'must be a status of three digits, or empty');
  if (!/^\d{1,9}$/.test(revision))
    throw wrongParameter(place(line, 'revision'), 'is required; keep the number that the export wrote');
  const statusCode = status === '' ? null : Number(status);
  return { line, url, decision, target: target === '' ? null : target, statusCode, revision: Number(revision) };
}

/** Throws the 422 for repeated rows, and for invalid decisions among those that change something. */
async function checkRows(tx: Queryable, allowedTargetHosts: readonly string[]): Promise<void> {
  const repeated = await queryRows<{ line: number }>(tx)`
    select max(line) as line from ${GIVEN} group by url having count(*) > 1 order by line limit ${MAX_ISSUES}`;
  const issues = repeated.map(({ line }): Issue => {
    return { path: place(line, 'url'), code: 'VALIDATION_ERROR', message: 'is repeated; keep one row' };
  });
  const given = sql`select line, url, decision, target, status_code from ${GIVEN} order by line`;
  for await (const rows of fetchRows<SheetRow>(tx, given, CHECKED_AT_ONCE)) {
    for (const { line, url, ...row } of rows)
      for (const issue of checkDecision(url, row, allowedTargetHosts))
        issues.push({ ...issue, path: place(line, issue.path) });
    if (issues.length >= MAX_ISSUES) break;
  }
  if (issues.length > 0) throw validationError(issues);
}
