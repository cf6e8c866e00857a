/** Errors of rows in words of the screen, without names of the API. */
import { type RowErrorCode, STATEMENT_FOLLOWS } from '../../../../src/vocabulary/import-issue.ts';
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

/** Replaces a message that names what the screen does not have. */
const OF_CODE: Readonly<Record<RowErrorCode, string>> = {
  MALFORMED_ROW: 'The row cannot be read. Correct it in the file.',
  INVALID_JSON: 'The line is not JSON. Correct it in the file.',
  MISSING_PARAMETER: 'A value is missing. “From” and “To” are required.',
  INVALID_PARAMETER: 'A value has the wrong type. Write text in quotes, and a status as a number.',
  UNKNOWN_FIELD: 'The row has an unknown field. Remove it.',
  VALIDATION_ERROR: 'A value of the row is invalid. Correct it in the file.',
  INVALID_OLD_PATH: '“From” is not a path. Begin it with one /, such as /old-page.',
  INVALID_NEW_PATH: '“To” is not a target. Write a path such as /new-page, or an address that begins with https://.',
  TARGET_REQUIRED: '“To” is empty. Write a target, or choose status 410.',
  TARGET_NOT_ALLOWED: 'This status has no target. Empty “To”.',
  TARGET_HOST_NOT_ALLOWED: 'The host of “To” is not allowed. Allow it for this website.',
  INVALID_STATUS_CODE: '“Status” is not the status of a redirect. Write one such as 301.',
  INVALID_REGEX: 'The pattern is not supported. Simplify it.',
  TOO_MANY_PATTERNS: 'The website has no room for this pattern. Delete patterns, or write paths instead.',
  REDIRECT_LOOP: '“From” and “To” are the same page, so the redirect would loop. Change one of them.',
  INVALID_ENVIRONMENT: '“Environments” has an unknown name. Write production, staging or development.',
  INVALID_SCHEDULE: '“Active from” or “Active until” is not a time with a zone, such as 2030-01-31T12:00:00Z.',
  INVALID_BOOLEAN: 'A cell is neither true nor false. Write one of them.',
  TOO_LONG: 'A value is too long. Shorten it.',
  CONTROL_CHARACTER: 'A value contains a character that is not visible. Type the value again.',
  SOURCE_HOST_MISMATCH: '“From” has the host of another website. Remove the host.',
  WEBSITE_MISMATCH: 'The row is of another website. Import it there.',
  DELETE_NOT_SUPPORTED: 'The row deletes a redirect. An import deletes nothing: delete it in the list.',
  AMBIGUOUS_WILDCARD: 'The row may have a wildcard. Choose “Treat as wildcards” or “Treat as text”.',
  CONDITION_NOT_SUPPORTED: 'The row has a condition that a redirect here cannot have. Remove it.',
  ORDER_CONFLICT: 'The server uses an earlier line of the file for the same paths. Remove one of the two.',
  CONFLICT: 'The path belongs to another redirect of this website. Change that redirect.',
};

/** Parts of messages that name the API, and what the screen offers in their place. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/; set is_regex in the row, or import with wildcards=.*$/, '. Choose “Treat as wildcards” or “Treat as text”.'],
  [/ is not in the website's allowed_target_hosts; add it there first/, ' is not allowed. Allow it for this website.'],
  [/^a (\d+) needs a new_path$/, 'A $1 needs a target. Write it in “To”.'],
  [/; omit new_path or send null/, '. Empty “To”.'],
  [/; write (it|the source) as a pattern with is_regex true$/, '. Write $1 as a pattern, with true as “Pattern”.'],
  [/, with is_regex false$/, ', with false as “Pattern”.'],
  [/ without is_regex/, ' that is not a pattern'],
  [/ is not a host of this website; add the host.*$/, ' is not a host of this website. Remove it from “From”.'],
  [
    /, but the website's query option is "\w+"; set it to "\w+", or map /,
    ', but this website treats the query string differently. Change that in its settings, or map ',
  ],
  [/\bmap the column (".*") to '' to import without it$/, 'choose “Not used” for the column $1 under “Columns”.'],
];

interface RowError {
  column: string;
  code: string;
  message: string;
}

/** True for sources without a leading slash, which an import option can add. */
export const isMissingSlash = (message: string): boolean => message.endsWith('add_slash=true');

/** The message of an invalid row, without the statement that it quotes. */
export function rowErrorText({ column, code, message }: RowError): string {
  const [reason = ''] = message.split(STATEMENT_FOLLOWS, 1);
  if (isMissingSlash(reason)) return 'The source does not start with /.';
  const field = /^(?:is|must|has) /.test(reason) ? `${column} ` : '';
  const text = capitalized(
    inLabels(REPLACED.reduce((each, [part, words]) => each.replace(part, words), field + reason)),
  );
  if (!OPTION.test(unquoted(text))) return text;
  return isRowErrorCode(code) ? OF_CODE[code] : 'The row cannot be imported. Correct it in the file.';
}

/** The statement of a server file that the message quotes. */
export function statementOf(message: string): string | undefined {
  const at = message.indexOf(STATEMENT_FOLLOWS);
  return at < 0 ? undefined : message.slice(at + STATEMENT_FOLLOWS.length);
}

const OPTION = /\b(?:add_slash|allowed_target_hosts|ignore_unknown|on_conflict|is_regex)\b|\b(?:wildcards|columns)=/;
const QUOTED = /("(?:[^"\\]|\\.)*")/;
const API_NAME = new RegExp(
  `\\b(${Object.keys(FIELD_LABELS)
    .filter((name) => name.includes('_'))
    .join('|')})\\b`,
  'g',
);

/** Names of fields as labels. Values of the file, which are quoted, stay. */
const inLabels = (text: string): string =>
  text
    .split(QUOTED)
    .map((part) => (part.startsWith('"') ? part : part.replace(API_NAME, (name) => FIELD_LABELS[name] ?? name)))
    .join('');

const unquoted = (text: string): string => text.replaceAll(new RegExp(QUOTED, 'g'), '');

const isRowErrorCode = (code: string): code is RowErrorCode => Object.hasOwn(OF_CODE, code);
