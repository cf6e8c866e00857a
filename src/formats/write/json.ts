/** The JSON and NDJSON formats. README.md has a picture of an entry. */
import type { DeployedToProd, EntryFrame, ExportedRow, LosslessFormat } from './lossless-format.ts';

/** One JSON object, in the field order of docs/api.md. The count and the time come last, when the count is known. */
export const jsonFormat = {
  head: ({ exportId, website, filters, of }) =>
    `{"export_id":"${exportId}","website":${JSON.stringify({ id: String(website.id), name: website.name })},` +
    `"filters":${JSON.stringify(filters)},` +
    (of ? `"environment":"${of.environment}","version":${of.version},` : '') +
    `"redirects":[`,
  entry: (row, deployedToProd) =>
    `{"id":"${row.id}","old_path":${quoted(row.oldPath)},"new_path":${quoted(row.newPath)}${endOf(row, deployedToProd)}`,
  separator: ',',
  frame: {
    beforeId: ',{"id":"',
    beforeOldPath: '","old_path":"',
    beforeNewPath: '","new_path":',
    // deployed_to_prod depends on the versions that excluded a host.
    isEndByHost: true,
    endOf,
  },
  tail: ({ exportedAt }, count) => `],"total_count":${count},"exported_at":"${exportedAt}"}`,
} as const satisfies LosslessFormat;

/** The entries of the JSON export, one a line; an import reads them as they are. */
export const ndjsonFormat = {
  head: () => '',
  entry: (row, deployedToProd) => `${jsonFormat.entry(row, deployedToProd)}\n`,
  separator: '',
  frame: {
    ...jsonFormat.frame,
    beforeId: '{"id":"',
    endOf: (row, deployedToProd) => `${endOf(row, deployedToProd)}\n`,
  } satisfies EntryFrame,
  tail: () => '',
} as const satisfies LosslessFormat;

/** The end of an entry, which most entries of an export share. */
function endOf(row: ExportedRow, deployedToProd: DeployedToProd): string {
  const { environments } = row;
  const list = environments.length === 0 ? '[]' : `["${environments.join('","')}"]`;
  return (
    `,"status_code":${row.statusCode},"group_id":${quoted(row.groupId)},"created_at":${quoted(row.createdAt)},` +
    `"deployed_to_prod":${quoted(deployedToProd)},"is_regex":${row.isRegex},` +
    `"target_environments":${list},"notes":${quoted(row.notes)},` +
    `"active_from":${quoted(row.activeFrom)},"active_until":${quoted(row.activeUntil)}}`
  );
}

/** Characters to escape in JSON: quote, backslash and control characters. Stored texts have no lone surrogates. */
const ESCAPED = /["\\\u0000-\u001f]/;

export function quoted(text: string | null): string {
  if (text === null) return 'null';
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}
