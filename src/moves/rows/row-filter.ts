/** The filters of rows of a move as SQL, on rows `r` of move_rows. */
import { containing, sql, type SQL } from '../../db/drizzle.ts';
import { CONFIDENCES, type Decision } from '../../vocabulary/moves.ts';
import type { Move } from '../move.ts';

export type Confidence = (typeof CONFIDENCES)[number];

export interface RowFilter {
  decision?: Decision | 'none' | undefined;
  confidence?: Confidence | 'none' | undefined;
  suggested?: 'redirect' | 'gone' | 'keep' | undefined;
  /** of its decision */
  target?: string | undefined;
  /** text in the URL or the title, ignoring case */
  q?: string | undefined;
}

/** The condition for rows of the move that the filter finds. */
export function rowCondition({ id }: Pick<Move, 'id'>, filter: RowFilter): SQL {
  const { decision, confidence, suggested, target, q } = filter;
  const conditions: SQL[] = [sql`r.move_id = ${id}`];
  if (decision !== undefined) conditions.push(isOrNone(sql`r.decision`, decision));
  if (confidence === 'none') conditions.push(sql`r.confidence is null`);
  else if (confidence !== undefined) conditions.push(sql`r.confidence = ${CONFIDENCES.indexOf(confidence)}::smallint`);
  if (suggested !== undefined) conditions.push(sql`r.suggested = ${suggested}`);
  if (target !== undefined) conditions.push(sql`r.target = ${target}`);
  // `ilike` takes half as long again, as it converts the pattern for each row.
  if (q !== undefined)
    conditions.push(sql`(lower(r.url) like lower(${containing(q)}) or lower(r.title) like lower(${containing(q)}))`);
  return sql.join(conditions, sql` and `);
}

const isOrNone = (column: SQL, value: string): SQL =>
  value === 'none' ? sql`${column} is null` : sql`${column} = ${value}`;
