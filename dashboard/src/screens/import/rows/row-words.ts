/** Errors of rows: the sentence of the service, with the labels of the screen for names of the API. */
import { STATEMENT_FOLLOWS } from '../../../../../src/vocabulary/import/issue.ts';
import type { CheckedRow } from '../../../api/client/wire.ts';
import { capitalized } from '../../../format.ts';

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
  message: string;
}

/** True for sources without a leading slash, which an import option can add. */
/** The host of an error that says it is not one of the website; undefined for another error. */
export const foreignHost = (message: string): string | undefined =>
  /([^\s"“]+)["”]? is not a host of this website/.exec(message)?.[1];

export const isMissingSlash = (message: string): boolean => message.endsWith('add_slash=true');

/** The message of an invalid row, without the statement that it quotes. */
export function rowErrorText({ column, message }: RowError): string {
  const [reason = ''] = message.split(STATEMENT_FOLLOWS, 1);
  if (isMissingSlash(reason)) return 'The source does not start with /.';
  const field = /^(?:is|must|has) /.test(reason) ? `${column} ` : '';
  return capitalized(inLabels(REPLACED.reduce((each, [part, words]) => each.replace(part, words), field + reason)));
}

/** The statement of a server file that the message quotes. */
export function statementOf(message: string): string | undefined {
  const at = message.indexOf(STATEMENT_FOLLOWS);
  return at < 0 ? undefined : message.slice(at + STATEMENT_FOLLOWS.length);
}

/** The text of an invalid row: its statement, its cells as in the file, or its path. */
export function sourceText({
  values,
  old_path: path,
  error,
}: Pick<CheckedRow, 'values' | 'old_path' | 'error'>): string {
  return (error && statementOf(error.message)) ?? (values ? Object.values(values).join(', ') : (path ?? ''));
}

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
