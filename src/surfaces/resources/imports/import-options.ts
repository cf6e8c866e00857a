import { z } from 'zod';
import { environmentList } from '../../../http/wire/fields.ts';
import type { Corrections } from '../../../formats/read/csv/layout.ts';
import type { WildcardMode } from '../../../formats/rows/wildcards.ts';
import { DomainError, invalid, wrongParameter } from '../../../vocabulary/error.ts';
import { ROW_FIELDS } from '../../../vocabulary/import/verdict.ts';
import { websiteNotFound } from '../../../websites/website.ts';
import type { Dialect } from '../dialect.ts';

/** Text on the wire; readImportOptions checks it. */
const flag = z.string().meta({ type: 'boolean' });

/** The options of an import, as query parameters or form fields: text in both. */
export function importParameters({ surface }: Dialect) {
  const websiteId = surface === 'session' ? z.string().meta({ type: 'integer', minimum: 1 }) : z.string();
  return {
    website_id: websiteId
      .optional()
      .describe('The id of the website. Required unless a column names it or the account has exactly one website.'),
    ...OPTIONS,
  };
}

const OPTIONS = {
  on_conflict: z
    .string()
    .meta({ enum: ['skip', 'update'] })
    .optional()
    .describe('What happens if a path exists already: `skip` (default) or `update`.'),
  dry_run: flag.optional().describe('`true`: reports what would happen and changes nothing.'),
  add_slash: flag
    .optional()
    .describe('`true`: adds a missing `/` in front of a source path instead of rejecting the row.'),
  wildcards: z
    .string()
    .meta({ enum: ['convert', 'literal'] })
    .optional()
    .describe(
      'How `*`, a segment `:name` and a `$1` in the target are read in a row without `is_regex`, if the file is of no tool that has wildcards: `convert` to the equal pattern, or `literal` text. Without it, such a row is invalid.',
    ),
  target_environments: z
    .string()
    .optional()
    .describe('The environments of rows without a value, separated by commas; empty: drafts. Default `production`.'),
  group_id: z.string().optional().describe('The group of rows without a value.'),
  ignore_unknown: flag.optional().describe('`true`: ignores unknown columns instead of rejecting the file.'),
  columns: z
    .string()
    .optional()
    .describe(
      'A JSON object from column names to fields, for columns that are not recognized: `{"Old link": "old_path"}`.',
    ),
  corrections: z
    .string()
    .optional()
    .describe(
      'Values to read in place of those of the file: a JSON object from the line of a row to fields, `{"5": {"new_path": "/jobs"}}`. At most 1,000 rows and 64 KiB, in the form rather than the query.',
    ),
  report: flag.optional().describe('`true`: keeps the verdict on every row for one hour. Only with `dry_run=true`.'),
  import_id: z
    .string()
    .optional()
    .describe(
      'An id chosen by the client to watch the import from its start: `imp_` and 22 random letters and digits. Accepted once.',
    ),
};

type Name = keyof ReturnType<typeof importParameters>;
const NAMES = ['website_id', ...Object.keys(OPTIONS)] as Name[];

export interface ImportOptions {
  websiteId: number | undefined;
  onConflict: 'skip' | 'update';
  dryRun: boolean;
  addSlash: boolean;
  wildcards: Exclude<WildcardMode, 'refuse'> | undefined;
  /** values of rows without one */
  defaults: { groupId: string | undefined; environments: string[] | undefined };
  ignoreUnknown: boolean;
  columns: Record<string, string>;
  corrections: Corrections | undefined;
  report: boolean;
  importId: string | undefined;
}

/**
 * Merges the query and the form. Throws a 400 for an unknown option, an invalid value, or two values for one option.
 */
export function readImportOptions(
  query: { [K in Name]?: string | undefined },
  fields: ReadonlyMap<string, string>,
  dialect: Dialect,
): ImportOptions {
  assertKnown(fields);
  const text = (name: Name): string | undefined => {
    const [inQuery, inForm] = [query[name], fields.get(name)];
    if (inQuery !== undefined && inForm !== undefined && inQuery !== inForm) {
      throw wrongParameter(name, 'has two values, one in the form and one in the query; send one');
    }
    return inForm ?? inQuery;
  };
  const onConflict = text('on_conflict') ?? 'skip';
  if (onConflict !== 'skip' && onConflict !== 'update') {
    throw wrongParameter('on_conflict', 'must be skip or update');
  }
  const dryRun = readBoolean('dry_run', text('dry_run'));
  const report = readBoolean('report', text('report'));
  if (report && !dryRun) throw wrongParameter('report', 'requires dry_run=true');
  return {
    websiteId: readWebsiteId(text('website_id'), dialect),
    onConflict,
    dryRun,
    addSlash: readBoolean('add_slash', text('add_slash')),
    wildcards: readWildcards(text('wildcards')),
    defaults: { groupId: text('group_id'), environments: environmentList(text('target_environments')) },
    ignoreUnknown: readBoolean('ignore_unknown', text('ignore_unknown')),
    columns: readColumns(text('columns')),
    corrections: readCorrections(text('corrections')),
    report,
    importId: readImportId(text('import_id')),
  };
}

function assertKnown(fields: ReadonlyMap<string, string>): void {
  for (const name of fields.keys()) {
    if (NAMES.some((known) => known === name)) continue;
    throw new DomainError('UNKNOWN_FIELD', 'The form has an unknown field', {
      details: `${name}: is not a known field; the form takes a file and ${NAMES.join(', ')}`,
      issues: [{ path: name, code: 'UNKNOWN_FIELD', message: 'is not a known field' }],
    });
  }
}

function readWebsiteId(text: string | undefined, { websiteId }: Dialect): number | undefined {
  if (text === undefined || text === '') return undefined;
  const read = websiteId.query.safeParse(text);
  if (read.success) return websiteId.read(read.data);
  if (/^-?\d+$/.test(text)) throw websiteNotFound(text);
  throw wrongParameter('website_id', 'must be an integer');
}

/** Accepts only the server's own id format: 22 random characters do not collide and cannot be guessed. */
function readImportId(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^imp_[0-9A-Za-z]{22}$/.test(text)) return text;
  throw wrongParameter('import_id', 'must be imp_ and 22 random letters and digits');
}

function readWildcards(text: string | undefined): ImportOptions['wildcards'] {
  if (text === undefined || text === 'convert' || text === 'literal') return text;
  throw wrongParameter('wildcards', 'must be convert or literal');
}

function readBoolean(name: Name, text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw wrongParameter(name, 'must be true or false');
}

/** `{"Header of the file": "our_field"}`. The CSV reader checks the names. */
function readColumns(text: string | undefined): Record<string, string> {
  if (text === undefined || text === '') return {};
  const parsed = z.record(z.string(), z.string()).safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw invalid('columns', 'must be a JSON object from header to field, such as {"Old link": "old_path"}');
}

const MAX_CORRECTIONS = 1_000;

/** `{"5": {"new_path": "/jobs"}}`. The CSV reader checks the values, and that the lines have rows. */
function readCorrections(text: string | undefined): Corrections | undefined {
  if (text === undefined || text === '') return undefined;
  const fail = (message: string): DomainError => invalid('corrections', message);
  const parsed = z.record(z.string(), z.record(z.string(), z.string())).safeParse(parseJson(text));
  if (!parsed.success) throw fail('must be a JSON object from line to fields, such as {"5": {"new_path": "/jobs"}}');
  const rows = Object.entries(parsed.data);
  if (rows.length > MAX_CORRECTIONS) throw fail(`has ${rows.length} rows; send at most ${MAX_CORRECTIONS}`);
  for (const [line, fields] of rows) {
    if (!/^[1-9]\d{0,8}$/.test(line)) throw fail(`${JSON.stringify(line)} is not the number of a line`);
    const unknown = Object.keys(fields).find((field) => !ROW_FIELDS.some((known) => known === field));
    if (unknown !== undefined)
      throw fail(`line ${line} has ${JSON.stringify(unknown)}, which is not one of ${ROW_FIELDS.join(', ')}`);
  }
  return new Map(rows.map(([line, fields]) => [Number(line), fields]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
