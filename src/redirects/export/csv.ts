/**
 * A file that an import takes back without loss: its columns are the import's own names, and every cell of a column is always there.
 * Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, and only group_id and notes can begin so (paths begin
 * with a slash). The usual apostrophe would stay in the text, so such a cell gets one space in front: to a spreadsheet that is text,
 * and the import cuts white space around cells, which no stored label has.
 */
import type { DeployedToProd } from './deployed-to-prod.ts';
import { targetedEnvironments } from './json.ts';
import type { ExportedRow } from './rows.ts';
import type { LosslessWriter } from './writer.ts';

const COLUMNS =
  'old_path,new_path,status_code,is_regex,target_environments,group_id,notes,id,created_at,deployed_to_prod';

/** RFC 4180 with a header and LF line ends. A cell without value is empty; a draft has no environments. */
export const csvWriter: LosslessWriter = {
  head: () => `${COLUMNS}\n`,
  row: csvRow,
  separator: '',
  tail: () => '',
};

function csvRow(row: ExportedRow, deployedToProd: DeployedToProd): string {
  const { oldPath, newPath, statusCode, isRegex, groupId, notes, id, createdAt } = row;
  return (
    `${csvCell(oldPath)},${csvCell(newPath)},${statusCode},${isRegex},` +
    `${csvCell(targetedEnvironments(row.targets).join(','))},${csvCell(groupId)},${csvCell(notes)},` +
    `${id},${createdAt},${deployedToProd ?? ''}\n`
  );
}

/** A cell of a CSV row, quoted where it must be. */
export function csvCell(text: string | null): string {
  if (text === null) return '';
  const safe = /^[=+\-@]/.test(text) ? ` ${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
