import { expect, test } from 'vitest';
import { fileProblem, importFailureText } from '../../dashboard/src/screens/import/import-words.ts';
import { rowErrorText } from '../../dashboard/src/screens/import/rows/row-words.ts';

/** No names of fields, options, endpoints or codes. */
const API_NAMES = /\b[a-z]+_[a-z_]+\b|\b[A-Z]+_[A-Z_]+\b|=true|\/api\/|\boption columns\b/;

const FILE_ERRORS: [code: string, details: string, title: string][] = [
  ['UNKNOWN_COLUMN', 'rename them, map them with the option columns', 'The columns were not recognized'],
  ['DUPLICATE_COLUMN', "map one of them to '' with the option columns", 'Two columns have the same field'],
  ['VALIDATION_ERROR', 'file: no column has the source; name one old_path', 'No column has the old paths'],
  [
    'VALIDATION_ERROR',
    'file: line 1: the row is not valid text in the encoding',
    'The text of this file cannot be read',
  ],
  ['VALIDATION_ERROR', 'file: the file is UTF-32; save it as UTF-8', 'The text of this file cannot be read'],
  ['VALIDATION_ERROR', 'file: the file is empty', 'The file is empty'],
  ['VALIDATION_ERROR', 'file: the file has no rows', 'The file is empty'],
  ['VALIDATION_ERROR', 'file: the file is JSON, but has no redirects; write them as', 'The file has no redirects'],
  ['VALIDATION_ERROR', 'file: the file is a program; write the list', 'This file is a program'],
  ['VALIDATION_ERROR', 'file: the file is not CSV but a server configuration', 'This file is not CSV'],
  [
    'VALIDATION_ERROR',
    'file: the file is named x, but has no line of that format',
    'The name does not fit the content',
  ],
  ['VALIDATION_ERROR', 'columns: "a" is not a column; see old_path', 'The file cannot be imported'],
  ['BODY_TOO_LARGE', 'file', 'The file is too large'],
  ['MISSING_PARAMETER', 'file: send the CSV file', 'No file was sent'],
  ['CONFLICT', 'import_id', 'This import was sent before'],
];

test.each(FILE_ERRORS)('%s of a file is explained in words of the screen: %s', (code, details, title) => {
  const problem = fileProblem({ code, details });
  expect(problem?.title).toBe(title);
  expect(`${problem?.title} ${problem?.remedy}`).not.toMatch(API_NAMES);
  expect(importFailureText(`${code}: ${details}`)).not.toMatch(API_NAMES);
});

test('errors that the service explains itself keep its text', () => {
  expect(fileProblem({ code: 'PLAN_LIMIT_EXCEEDED', details: 'at most 1,000 redirects' })).toBeUndefined();
  expect(importFailureText('PLAN_LIMIT_EXCEEDED: at most 1,000 redirects')).toBe('At most 1,000 redirects');
  expect(importFailureText('INTERNAL_ERROR')).toMatch(/nothing changed/);
});

const ROW_ERRORS = [
  'old_path is "a"; begin it with / or import with add_slash=true',
  'new_path is "/a*", which may have a wildcard; set is_regex in the row, or import with wildcards=convert or wildcards=literal',
  "the host a.example is not in the website's allowed_target_hosts; add it there first",
  'a 301 needs a new_path',
  'a 410 has no target; omit new_path or send null',
  'old_path and new_path are the same path; the redirect would loop',
  'old_path, in canonical form, is longer than 2048 bytes',
  'status_code is "x"; write a number such as 301',
  'website_id is "x"; write the id as a whole number',
  '"b.example" is not a host of this website; add the host to the website or leave it out of the source',
  'a pattern does not see the query; for a query write a path such as /page?id=5 without is_regex',
];

test.each(ROW_ERRORS)('the message of a row has no names of the API: %s', (message) => {
  const text = rowErrorText({ column: 'row', message });
  expect(text).not.toMatch(API_NAMES);
  expect(text).toMatch(/^["A-Z]/);
});
