import { type Command, type Context, isOn } from '../command.ts';
import { CommandError, EXIT, UsageError } from '../errors.ts';
import { followDeployments, WAIT_OPTIONS } from '../deployments.ts';
import { conflictLines, undoChange, undoText } from '../undo-change.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';

interface Change {
  id: string;
  kind: string;
  actor: { name: string };
  counts: { created: number; updated: number; deleted: number };
  created_at: string;
  undone_by: string | null;
}

/** Changes that are searched for the last one that can be undone. */
const MAX_SEARCHED = 100;

export const undo: Command = {
  summary: 'Undoes a change: every redirect that it touched gets back its former state.',
  words: '[CHANGE]',
  options: {
    ...WEBSITE_OPTION,
    last: { help: 'The last change of the website that is not undone and not an undo.' },
    'dry-run': { help: 'Shows what would happen and changes nothing.' },
    yes: { short: 'y', help: 'Does not ask. Required with --last without a terminal.' },
    ...WAIT_OPTIONS,
  },
  notes: `CHANGE is an id such as chg_..., which import and sync print. Exit code 3 if some redirects were changed since and
are not undone.`,
  async run(context) {
    const [named] = context.words;
    if ((named === undefined) !== isOn(context, 'last')) {
      throw new UsageError('name one change: its id, such as chg_..., or --last');
    }
    const isDryRun = isOn(context, 'dry-run');
    const id = named ?? (await lastChange(context, isDryRun));
    if (id === undefined) return { exit: EXIT.failed, text: 'nothing was changed', json: { undo: null } };
    const result = await undoChange(context.client, id, isDryRun);
    const deployed = await followDeployments(context, result.deployments ?? []);
    const lines = [
      `${isDryRun ? 'would undo' : 'undone'} ${id}: ${undoText(result)}`,
      ...conflictLines(result),
      ...deployed.lines,
    ];
    const exit = result.undo.conflicts > 0 ? EXIT.refused : deployed.exit;
    return { exit, text: lines.join('\n'), json: { ...result, ...deployed.json } };
  },
};

/** The id of the last change; undefined if the user declines. */
async function lastChange(context: Context, isDryRun: boolean): Promise<string | undefined> {
  const website = await websiteOf(context);
  const query = { website_id: website.id, limit: MAX_SEARCHED };
  const { changes } = await context.client.get<{ changes: Change[] }>('/changes', query);
  const change = changes.find(({ kind, undone_by }) => kind !== 'undo' && undone_by === null);
  if (!change) throw new CommandError(`${website.name} has no change to undo`);
  if (isOn(context, 'yes') || isDryRun) return change.id;
  const { created, updated, deleted } = change.counts;
  const counts = `${created} created, ${updated} updated, ${deleted} deleted`;
  context.terminal.note(`${change.id}: ${change.kind} by ${change.actor.name} at ${change.created_at} (${counts})`);
  return (await context.terminal.confirm(`Undo this change of ${website.name}?`)) ? change.id : undefined;
}
