/** The lines of the rules in a feed, from rows of COPY. */
import { parseCopyText, type CopyRow } from '../../db/copy/copy-rows.ts';
import { windowSql } from '../../deployments/live/database/rules-sql.ts';
import { isoSeconds } from '../../platform/clock.ts';
import { quoted } from '../../formats/write/json.ts';
import { createSplicer } from '../../formats/write/splice.ts';

/**
 * SQL for the columns of rule `r` or `a`, as `ruleLine` and the fast path of an export read them: no NULL, because its
 * escape would keep a row off the fast path. -1 is an open end of the window.
 */
export function ruleColumns(rule: 'r' | 'a'): string {
  const [from, until] = windowSql(rule);
  return `${rule}.id, ${rule}.old_path, coalesce(${rule}.new_path, ''), ${rule}.status_code, ${rule}.is_regex,
    coalesce(${from}, -1), coalesce(${until}, -1)`;
}

const FRAME = {
  beforeId: '{"id":"',
  beforeOldPath: '","old_path":"',
  beforeNewPath: '","new_path":',
  isEndByHost: false,
};

/** Returns the rule of such a row as JSON. */
export function ruleLine(row: CopyRow): string {
  const [id = '', oldPath = '', newPath = ''] = row;
  return `{"id":"${id}","old_path":${quoted(oldPath)},"new_path":${quoted(newPath || null)}${endOf(row)}`;
}

function endOf([, , , status, isRegex, from, until]: CopyRow): string {
  return (
    `,"status_code":${status},"is_regex":${isRegex === 't'},` +
    `"active_from":${quoted(momentOf(from))},"active_until":${quoted(momentOf(until))}}`
  );
}

const momentOf = (ms: string | null | undefined): string | null =>
  ms === '-1' ? null : isoMoment(new Date(Number(ms)));

/** Returns a function that writes the lines of whole rows: on the fast path of exports, or row by row. */
export function createRuleLines(): (rows: Buffer) => string | Buffer {
  const splicer = createSplicer(FRAME);
  return (bytes) => {
    const spliced = splicer.splice(bytes);
    if (spliced) return spliced.text;
    const rows = parseCopyText(bytes);
    splicer.learn(bytes, (at) => `${endOf(rows[at] ?? [])}\n`);
    return rows.map((row) => `${ruleLine(row)}\n`).join('');
  };
}

/** Exact, because it is in the checksum: rules of former releases may have milliseconds. */
function isoMoment(date: Date): string {
  return date.getUTCMilliseconds() === 0 ? isoSeconds(date) : date.toISOString();
}
