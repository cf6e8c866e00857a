import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { DeployedToProd } from './deployed-to-prod.ts';
import type { ExportedRow } from './rows.ts';
import type { EntryFrame, LosslessWriter } from './writer.ts';

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
