/** Errors of a file and of an import in words of the screen, without names of the API. */
import type { ErrorCode } from '../../../../src/vocabulary/error.ts';
import { rowErrorText } from './rows/row-words.ts';

export interface FileProblem {
  title: string;
  remedy: string;
  /** choosing other fields for the columns solves it */
  isOfColumns?: boolean;
}

type FileCode = Extract<
  ErrorCode,
  'UNKNOWN_COLUMN' | 'DUPLICATE_COLUMN' | 'MISSING_PARAMETER' | 'BODY_TOO_LARGE' | 'CONFLICT'
>;

const OF_CODE: Record<FileCode, FileProblem> = {
  UNKNOWN_COLUMN: {
    title: 'The columns were not recognized',
    remedy: 'Choose “From” for the column with the old paths, and “To” for the column with the new ones.',
    isOfColumns: true,
  },
  DUPLICATE_COLUMN: {
    title: 'Two columns have the same field',
    remedy: 'Choose “Not used” for one of them.',
    isOfColumns: true,
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
      isOfColumns: true,
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
    /the file is JSON, but has no redirects/,
    {
      title: 'The file has no redirects',
      remedy: 'Choose a JSON export, or the file of a server such as vercel.json.',
    },
  ],
  [
    /the file is XML, but/,
    { title: 'This is an XML file', remedy: 'Choose a CSV file, or the file of a server such as web.config.' },
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
  const isOfColumns = details.startsWith('columns: ');
  return { title: 'The file cannot be imported', remedy: optionErrorText(details), isOfColumns };
}

const isFileCode = (code: string): code is FileCode => Object.hasOwn(OF_CODE, code);

/** Why an import failed. `error`: the code of the service and its message. */
export function importFailureText(error: string): string {
  if (error === 'INTERNAL_ERROR') return 'The import failed, and nothing changed. Import the file again.';
  const [, code = '', details = error] = /^([A-Z_]+): (.*)$/s.exec(error) ?? [];
  const problem = fileProblem({ code, details });
  return problem ? `${problem.title}. ${problem.remedy}` : optionErrorText(details);
}

/** `details`: the name of the field or option, and the message. */
function optionErrorText(details: string): string {
  const [, column = 'row', message = details] = /^([a-z_]+): (.*)$/s.exec(details) ?? [];
  return rowErrorText({ column, message });
}
