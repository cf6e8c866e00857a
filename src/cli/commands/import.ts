import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import { type Command, isOn, text } from '../command.ts';
import { type EntryError, errorLines, EXIT, UsageError } from '../errors.ts';
import { followDeployments, WAIT_OPTIONS } from '../deployments.ts';
import { FORMAT_OPTION, openInput, sendFile } from '../sync/redirects-file.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';

interface ImportResult {
  import_id: string;
  change_id?: string | null;
  summary: { total_submitted: number; created: number; updated: number; errors: number; unchanged?: number };
  processing_time: string;
  errors: EntryError[];
  deployments: string[];
  /** of a CSV file */
  notices?: {
    code: string;
    column: string;
    count: number;
    current?: string;
    sides?: { value: string; count: number; lines: number[] }[];
  }[];
}

export const importRedirects: Command = {
  summary: 'Adds and updates the redirects of a file. Deletes nothing.',
  words: 'FILE',
  options: {
    ...WEBSITE_OPTION,
    ...FORMAT_OPTION,
    group: { value: 'GROUP', help: 'The group of entries without one.' },
    environments: { value: 'LIST', help: 'The environments of entries without any, such as production,staging.' },
    'dry-run': { help: 'Shows what would happen and changes nothing.' },
    strict: { help: 'Applies nothing if an entry is invalid.' },
    ...WAIT_OPTIONS,
  },
  notes: `FILE is CSV, NDJSON or JSON, also .gz; - is standard input. Exit code 1 if an entry is invalid; the others are
applied.`,
  async run(context) {
    const file = await openInput(context, context.words[0] ?? '', 'redirects');
    const environments = text(context, 'environments');
    const unknown = environments?.split(',').find((name) => !(ENVIRONMENTS as readonly string[]).includes(name.trim()));
    if (unknown !== undefined) {
      throw new UsageError(`--environments: "${unknown}" is not one of ${ENVIRONMENTS.join(', ')}`);
    }
    const website = await websiteOf(context);
    const result = await sendFile<ImportResult>(context, file, {
      method: 'POST',
      path: '/redirects/bulk',
      canRepeat: isOn(context, 'dry-run'),
      query: {
        website_id: website.id,
        group_id: text(context, 'group'),
        target_environments: environments,
        ...(isOn(context, 'dry-run') && { dry_run: true }),
        ...(isOn(context, 'strict') && { strict: true }),
      },
    });
    const deployed = await followDeployments(context, result.deployments);
    const lines = [
      summary(result, isOn(context, 'dry-run')),
      ...noticeLines(result),
      ...errorLines(result.errors, result.summary.errors),
      ...deployed.lines,
    ];
    const exit = result.summary.errors > 0 && deployed.exit === EXIT.done ? EXIT.failed : deployed.exit;
    return { exit, text: lines.join('\n'), json: { import: result, ...deployed.json } };
  },
};

/** Input that was read but not kept, or converted. */
function noticeLines({ notices = [] }: ImportResult): string[] {
  return notices.map(({ code, column, count, current, sides }) => {
    if (!sides) return `  notice ${code}: column ${column}, ${count.toLocaleString('en')} rows`;
    const wanted = sides.map(({ value, count: rows, lines }) => {
      const shown = `${lines.join(', ')}${rows > lines.length ? ', ...' : ''}`;
      return `${rows.toLocaleString('en')} rows want ${value} (lines ${shown})`;
    });
    return `  notice ${code}: ${column} is ${current ?? ''}; ${wanted.join(', ')}`;
  });
}

function summary({ summary: { created, updated, errors, unchanged = 0 }, change_id }: ImportResult, isDryRun: boolean) {
  const shown = (count: number): string => count.toLocaleString('en');
  const counts = isDryRun
    ? `would create ${shown(created)}, update ${shown(updated - unchanged)}; unchanged ${shown(unchanged)}, invalid ${shown(errors)}`
    : `created ${shown(created)}, updated ${shown(updated)}, invalid ${shown(errors)}`;
  return change_id ? `${counts} (change ${change_id})` : counts;
}
