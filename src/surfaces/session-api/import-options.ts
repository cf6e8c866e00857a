import { z } from 'zod';
import { queryId } from '../../http/fields.ts';
import { DomainError, invalid } from '../../vocabulary/error.ts';
import { websiteNotFound } from '../../websites/website.ts';

/** The options of an import, as query parameters or form fields: texts in both. */
export const importParameters = {
  website_id: z.string().optional(),
  on_conflict: z.string().optional(),
  dry_run: z.string().optional(),
  add_slash: z.string().optional(),
  ignore_unknown: z.string().optional(),
  columns: z.string().optional(),
  report: z.string().optional(),
  import_id: z.string().optional(),
};

type Name = keyof typeof importParameters;
const NAMES = Object.keys(importParameters) as Name[];

export interface ImportOptions {
  websiteId: number | undefined;
  onConflict: 'skip' | 'update';
  dryRun: boolean;
  addSlash: boolean;
  ignoreUnknown: boolean;
  columns: Record<string, string>;
  report: boolean;
  importId: string | undefined;
}

/** The options from wherever they stand. 400 for one that is not known, has no such value, or says two things. */
export function readImportOptions(
  query: { [K in Name]?: string | undefined },
  fields: ReadonlyMap<string, string>,
): ImportOptions {
  for (const name of fields.keys()) {
    if (NAMES.some((known) => known === name)) continue;
    throw new DomainError('UNKNOWN_FIELD', 'A form field is not known', {
      details: `${name}: is not a known field; the form takes a file and ${NAMES.join(', ')}`,
      issues: [{ path: name, code: 'UNKNOWN_FIELD', message: 'is not a known field' }],
    });
  }
  const text = (name: Name): string | undefined => {
    const [inQuery, inForm] = [query[name], fields.get(name)];
    if (inQuery !== undefined && inForm !== undefined && inQuery !== inForm) {
      throw wrong(name, 'the form and the query say different things; say it once');
    }
    return inForm ?? inQuery;
  };
  const conflict = text('on_conflict') ?? 'skip';
  if (conflict !== 'skip' && conflict !== 'update') throw wrong('on_conflict', 'must be skip or update');
  const dryRun = readBoolean('dry_run', text('dry_run'));
  const report = readBoolean('report', text('report'));
  if (report && !dryRun) throw wrong('report', 'goes with dry_run=true alone');
  return {
    websiteId: readId(text('website_id')),
    onConflict: conflict,
    dryRun,
    addSlash: readBoolean('add_slash', text('add_slash')),
    ignoreUnknown: readBoolean('ignore_unknown', text('ignore_unknown')),
    columns: readColumns(text('columns')),
    report,
    importId: readImportId(text('import_id')),
  };
}

function wrong(name: Name, message: string): DomainError {
  return new DomainError('INVALID_PARAMETER', `${name}: ${message}`, {
    details: `${name}: ${message}`,
    issues: [{ path: name, code: 'INVALID_PARAMETER', message }],
  });
}

function readId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const read = queryId.safeParse(text);
  if (read.success) return read.data;
  if (/^-?\d+$/.test(text)) throw websiteNotFound(text);
  throw wrong('website_id', 'must be an integer');
}

/** Of the form of our own, and as random: nobody else may guess it, or have it. */
function readImportId(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^imp_[0-9A-Za-z]{22}$/.test(text)) return text;
  throw wrong('import_id', 'must be imp_ and 22 random letters and digits');
}

function readBoolean(name: Name, text: string | undefined): boolean {
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw wrong(name, 'must be true or false');
}

/** `{"Header of the file": "our_field"}`; the CSV reader says whether the names are right. */
function readColumns(text: string | undefined): Record<string, string> {
  if (text === undefined || text === '') return {};
  const Columns = z.record(z.string(), z.string());
  const parsed = Columns.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw invalid('columns', 'must be a JSON object from header to field, such as {"Old link": "old_path"}');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
