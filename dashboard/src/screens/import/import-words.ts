/** Texts for the codes and messages of an import, without names of the API. */
import type { ErrorCode } from '../../../../src/vocabulary/error.ts';
import { capitalized } from '../../format.ts';

/** Names of fields, as the columns of the screen have them. */
export const FIELD_LABELS: Readonly<Record<string, string>> = {
  row: 'Row',
  old_path: 'From',
  new_path: 'To',
  status_code: 'Status',
  is_regex: 'Pattern',
  match: 'Match type',
  group_id: 'Group',
  notes: 'Notes',
  target_environments: 'Environments',
  active_from: 'Active from',
  active_until: 'Active until',
  enabled: 'Enabled',
  query: 'Query handling',
  website_id: 'Website',
};

/** True for sources without a leading slash, which an import option can add. */
export const isMissingSlash = (message: string): boolean => message.endsWith('add_slash=true');

/** Parts of messages that name the API, and what the screen offers in their place. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/; set is_regex in the row, or import with wildcards=.*$/, '. Choose “Treat as wildcards” or “Treat as text”.'],
  [/ is not in the website's allowed_target_hosts; add it there first/, ' is not allowed. Allow it for this website.'],
  [/; omit new_path or send null/, '. Empty “To”.'],
  [/ without is_regex/, ' that is not a pattern'],
  [/ is not a host of this website; add the host.*$/, ' is not a host of this website. Remove it from “From”.'],
];

/** The message of a rejected row. */
export function rowErrorText(message: string): string {
  if (isMissingSlash(message)) return 'The source does not start with /.';
  const shown = REPLACED.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
  return capitalized(withLabels(shown));
}

const API_NAME = new RegExp(
  `\\b(${Object.keys(FIELD_LABELS)
    .filter((name) => name.includes('_'))
    .join('|')})\\b`,
  'g',
);

const withLabels = (text: string): string => text.replace(API_NAME, (name) => FIELD_LABELS[name] ?? name);

export interface FileProblem {
  title: string;
  remedy: string;
}

type FileCode = Extract<
  ErrorCode,
  'UNKNOWN_COLUMN' | 'DUPLICATE_COLUMN' | 'MISSING_PARAMETER' | 'BODY_TOO_LARGE' | 'CONFLICT'
>;

const OF_CODE: Record<FileCode, FileProblem> = {
  UNKNOWN_COLUMN: {
    title: 'The columns were not recognized',
    remedy: 'Choose “From” for the column with the old paths, and “To” for the column with the new ones.',
  },
  DUPLICATE_COLUMN: {
    title: 'Two columns have the same field',
    remedy: 'Choose “Not used” for one of them under “Columns”.',
  },
  MISSING_PARAMETER: { title: 'No file was sent', remedy: 'Choose the file again.' },
  BODY_TOO_LARGE: { title: 'The file is too large', remedy: 'Split it, and import the parts one after the other.' },
  CONFLICT: { title: 'This import was sent before', remedy: 'Press Retry.' },
};

/** Problems of the file as a whole, by the service's message. */
const OF_FILE: readonly (readonly [RegExp, FileProblem])[] = [
  [
    /no column has the source/,
    {
      title: 'No column has the old paths',
      remedy: 'Choose “From” for the column with the old paths, and “To” for the column with the new ones.',
    },
  ],
  [
    /not valid text|UTF-32/,
    {
      title: 'The text of this file cannot be read',
      remedy: 'In Excel or another program, save it as “CSV UTF-8”, then choose that file.',
    },
  ],
  [/the file is empty|the file has no rows/, { title: 'The file is empty', remedy: 'Choose another file.' }],
  [
    /JSON of this service/,
    { title: 'This is a JSON export', remedy: 'Export the redirects as CSV, then choose that file.' },
  ],
  [
    /the file is a program/,
    { title: 'This file is a program', remedy: 'Write the list of its redirects as JSON, then choose that file.' },
  ],
  [
    /the file is not CSV but/,
    {
      title: 'This file is not CSV',
      remedy: 'Name it as its server does, such as .htaccess or _redirects, or save it as CSV.',
    },
  ],
  [
    /has no line of that format/,
    { title: 'The name does not fit the content', remedy: 'Rename a CSV file so that it ends in .csv.' },
  ],
];

/** A rejected file, in words of the screen; undefined if the service's own message says it. */
export function fileProblem({ code, details }: { code: string; details: string }): FileProblem | undefined {
  for (const [pattern, problem] of OF_FILE) if (pattern.test(details)) return problem;
  if (isFileCode(code)) return OF_CODE[code];
  if (code !== 'VALIDATION_ERROR') return undefined;
  return { title: 'The file cannot be imported', remedy: rowErrorText(details.replace(/^[a-z_]+: /, '')) };
}

const isFileCode = (code: string): code is FileCode => Object.hasOwn(OF_CODE, code);

/** Why an import failed. `error`: the code of the service and its message. */
export function importFailureText(error: string): string {
  if (error === 'INTERNAL_ERROR') return 'The import failed, and nothing changed. Import the file again.';
  const [, code = '', details = error] = /^([A-Z_]+): (.*)$/s.exec(error) ?? [];
  const problem = fileProblem({ code, details });
  return problem ? `${problem.title}. ${problem.remedy}` : rowErrorText(details.replace(/^[a-z_]+: /, ''));
}
