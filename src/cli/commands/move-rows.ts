import { CONFIDENCES } from '../../vocabulary/moves.ts';
import { type Command, type Context, isOn, text } from '../command.ts';
import { counted, EXIT, UsageError } from '../errors.ts';
import { moveOf, pathOf } from '../moves/move.ts';
import { bodyOf } from '../urls/spool.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';
import { writeResponse } from '../download.ts';

/** The result of a decision. */
export interface Decided {
  updated: number;
  conflicts: { url: string; code: string }[];
  examples?: { url: string; decision: string | null; target: string | null }[];
}

export const moveRows: Command = {
  summary: 'Writes the rows of a move to a spreadsheet, reads decisions from one, or accepts suggestions.',
  words: '[MOVE]',
  options: {
    ...WEBSITE_OPTION,
    output: { short: 'o', value: 'FILE', help: 'Writes all rows to this CSV file. Default: standard output.' },
    import: { value: 'FILE', help: 'Takes the decisions of an edited CSV file.' },
    accept: {
      value: CONFIDENCES.join('|'),
      choices: CONFIDENCES,
      help: 'Accepts the suggestions of undecided rows with at least this confidence; guess also accepts gone.',
    },
    'dry-run': { help: 'With --accept: shows what would be decided and changes nothing.' },
  },
  notes: `Edit decision (redirect, gone, keep, skip), target and status_code of the file; leave revision as it is. Exit code 3 if
another user has decided a row meanwhile: that row stays as it is, the others change.`,
  async run(context) {
    const website = await websiteOf(context);
    const move = await moveOf(context, website);
    const path = pathOf(website, move.id);
    const file = text(context, 'import');
    const accept = text(context, 'accept');
    if ([file, accept, text(context, 'output')].filter((each) => each !== undefined).length > 1)
      throw new UsageError('choose one of --output, --import and --accept');
    if (file !== undefined) {
      const body = { ...bodyOf(file), type: 'text/csv' };
      return decidedOutcome(
        await context.client.call<Decided>({ method: 'POST', path: `${path}/import`, body }),
        false,
      );
    }
    if (accept !== undefined) return acceptSuggestions(context, path, accept);
    const response = await context.client.stream({ method: 'GET', path: `${path}/export`, query: { format: 'csv' } });
    return writeResponse(context, response.stream, text(context, 'output'));
  },
};

async function acceptSuggestions(context: Context, path: string, confidence: string) {
  const isDryRun = isOn(context, 'dry-run');
  const value = { filter: {}, decision: 'accept_suggestion', min_confidence: confidence, dry_run: isDryRun };
  const body = { type: 'application/json', open: () => JSON.stringify(value), isReplayable: true };
  return decidedOutcome(await context.client.call<Decided>({ method: 'PUT', path: `${path}/rows`, body }), isDryRun);
}

function decidedOutcome(result: Decided, isDryRun: boolean) {
  const { updated, conflicts, examples = [] } = result;
  const lines = [
    `${isDryRun ? 'would decide' : 'decided'} ${counted(updated, 'row', 'rows')}`,
    ...(isDryRun ? examples.map(({ url, decision, target }) => `  ${url}: ${target ?? decision ?? 'undecided'}`) : []),
    ...conflicts.map(({ url, code }) => `  conflict ${code}: ${url}`),
  ];
  return { exit: conflicts.length > 0 ? EXIT.refused : EXIT.done, text: lines.join('\n'), json: result };
}
