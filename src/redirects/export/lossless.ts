import type { Website } from '../../websites/website.ts';
import type { DeployedToProd } from './deployed-to-prod.ts';
import type { ExportedRow } from './rows.ts';
import { ENVIRONMENTS } from '../../vocabulary/environment.ts';

/** What stands in an export besides its redirects. */
export interface ExportHead {
  exportId: string;
  website: Website;
  filters: { group_id?: string };
  /** `YYYY-MM-DDThh:mm:ssZ`: the time of the snapshot */
  exportedAt: string;
}

/** A format that keeps everything: how a file of it begins, what a row becomes, and how it ends. */
export interface LosslessWriter {
  head: (head: ExportHead) => string;
  row: (row: ExportedRow, deployedToProd: DeployedToProd) => string;
  separator: string;
  /** what stands around the first cells of an entry, where it can be put together from bytes */
  frame?: EntryFrame;
  tail: (head: ExportHead, count: number) => string;
}

/** `{"id":"` 7 `","old_path":"` /a `","new_path":` "/b" and the end, which most entries have in common. */
export interface EntryFrame {
  beforeId: string;
  beforeOldPath: string;
  beforeNewPath: string;
  end: (row: ExportedRow, deployedToProd: DeployedToProd) => string;
}

const FRAME = {
  beforeId: '{"id":"',
  beforeOldPath: '","old_path":',
  beforeNewPath: ',"new_path":',
  end: endOfEntry,
} as const satisfies EntryFrame;

/** One JSON object in the field order of the interface; the count and the time come last, when the count is known. */
export const jsonWriter: LosslessWriter = {
  head: ({ exportId, website, filters }) =>
    `{"export_id":"${exportId}","website":${JSON.stringify({ id: String(website.id), name: website.name })},` +
    `"filters":${JSON.stringify(filters)},"redirects":[`,
  row: jsonEntry,
  separator: ',',
  frame: { ...FRAME, beforeId: `,${FRAME.beforeId}` },
  tail: ({ exportedAt }, count) => `],"total_count":${count},"exported_at":"${exportedAt}"}`,
};

/** One entry a line, the same as those of the JSON export; an import takes them as they are. */
export const ndjsonWriter: LosslessWriter = {
  head: () => '',
  row: (row, deployedToProd) => `${jsonEntry(row, deployedToProd)}\n`,
  separator: '',
  frame: { ...FRAME, end: (row, deployedToProd) => `${endOfEntry(row, deployedToProd)}\n` },
  tail: () => '',
};

/** What JSON cannot hold as it is: quote, backslash and control characters. Stored texts have no lone surrogates. */
const SPECIAL = /["\\\u0000-\u001f]/;

function jsonEntry(row: ExportedRow, deployedToProd: DeployedToProd): string {
  const paths = `${FRAME.beforeOldPath}${quoted(row.oldPath)}${FRAME.beforeNewPath}${quoted(row.newPath)}`;
  return FRAME.beforeId + row.id + paths + endOfEntry(row, deployedToProd);
}

function endOfEntry(row: ExportedRow, deployedToProd: DeployedToProd): string {
  return (
    `,"status_code":${row.statusCode},"group_id":${quoted(row.groupId)},"created_at":"${row.createdAt}",` +
    `"deployed_to_prod":${quoted(deployedToProd)},"is_regex":${row.isRegex},` +
    `"target_environments":${environmentList(row.targets)},"notes":${quoted(row.notes)}}`
  );
}

function quoted(text: string | null): string {
  if (text === null) return 'null';
  return SPECIAL.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Rows of one import have the same targets, so the lists are written once. */
const LISTS = new Map<string, string>();

function environmentList(targets: string): string {
  const known = LISTS.get(targets);
  if (known !== undefined) return known;
  const list = JSON.stringify(targetedEnvironments(targets));
  if (LISTS.size >= 1_000) LISTS.clear();
  LISTS.set(targets, list);
  return list;
}

/** The names of the environments of a row, in their order. */
export function targetedEnvironments(targets: string): string[] {
  const since = targets.split(' ');
  return ENVIRONMENTS.filter((_, at) => since[at] !== '0');
}

/**
 * A file that an import takes back without loss: its columns are the import's own names, and every cell of a column is always there.
 * Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, and only group_id and notes can begin so (paths begin
 * with a slash). The usual apostrophe would stay in the text, so such a cell gets one space in front: to a spreadsheet that is text,
 * and the import cuts white space around cells, which no stored label has.
 */
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
