import type { DeployedToProd, ExportedRow, LosslessFormat } from './lossless-format.ts';

const COLUMNS =
  'old_path,new_path,status_code,is_regex,target_environments,group_id,notes,active_from,active_until,id,created_at,deployed_to_prod';

/**
 * RFC 4180 with a header and LF line ends; an import reads it back without loss. A cell without a value is empty; a
 * draft has no environments.
 */
export const csvFormat: LosslessFormat = {
  head: () => `${COLUMNS}\n`,
  entry: csvEntry,
  separator: '',
  tail: () => '',
};

function csvEntry(row: ExportedRow, deployedToProd: DeployedToProd): string {
  const { oldPath, newPath, statusCode, isRegex, environments, groupId, notes, id, createdAt } = row;
  return (
    `${csvCell(oldPath)},${csvCell(newPath)},${statusCode},${isRegex},${csvCell(environments.join(','))},` +
    `${csvCell(groupId)},${csvCell(notes)},${row.activeFrom ?? ''},${row.activeUntil ?? ''},` +
    `${id},${createdAt ?? ''},${deployedToProd ?? ''}\n`
  );
}

/**
 * Writes a cell, quoted if necessary. Puts a space before `=`, `+`, `-`, `@`, tabs and line breaks, so that spreadsheets
 * do not read a label as a formula: an import trims white space, but would keep the usual apostrophe. Paths begin with a
 * slash.
 */
export function csvCell(text: string | null): string {
  if (text === null) return '';
  const safe = /^[=+\-@\t\r\n]/.test(text) ? ` ${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvRow = (cells: readonly (string | null)[]): string => `${cells.map(csvCell).join(',')}\n`;
