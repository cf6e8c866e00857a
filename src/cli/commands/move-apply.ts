import { type Command, isOn, text } from '../command.ts';
import { followDeployments, WAIT_OPTIONS } from '../deployments.ts';
import { counted, EXIT } from '../errors.ts';
import { moveOf, pathOf, shown } from '../moves/move.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';

interface Applied {
  apply: { created: number; updated: number; left_out: number; gone: number; rules: number };
  conflicts: { url: string; code: string }[];
  flatten: { old_path: string; before: string; after: string }[];
  change_id: string | null;
  deployments: string[];
}

const STATUS = { pattern: /^30[1278]$/, must: 'be 301, 302, 307 or 308' };

export const applyMove: Command = {
  summary: 'Writes the decisions of a move as redirects and expectations: one change, which `detour undo` takes back.',
  words: '[MOVE]',
  options: {
    ...WEBSITE_OPTION,
    environments: { value: 'LIST', help: 'The environments, such as production,staging. Default: production.' },
    group: { value: 'GROUP', help: 'The group of new redirects.' },
    'status-code': { value: 'CODE', form: STATUS, help: 'The status of rows without one. Default 301.' },
    'no-expectations': { help: 'Adds no expectations.' },
    replace: { help: 'Replaces redirects that lead elsewhere by now. Default: they are conflicts.' },
    flatten: { help: 'Leads older redirects to moved pages straight to the new page.' },
    'dry-run': { help: 'Shows what would happen and changes nothing.' },
    ...WAIT_OPTIONS,
  },
  notes: 'Exit code 3 if a row is a conflict; the others are applied. A further apply writes what is new.',
  async run(context) {
    const website = await websiteOf(context);
    const { id } = await moveOf(context, website);
    const isDryRun = isOn(context, 'dry-run');
    const status = text(context, 'status-code');
    const result = await context.client.post<Applied>(`${pathOf(website, id)}/apply`, {
      target_environments: text(context, 'environments')?.split(','),
      group_id: text(context, 'group'),
      status_code: status === undefined ? undefined : Number(status),
      expectations: !isOn(context, 'no-expectations'),
      on_conflict: isOn(context, 'replace') ? 'update' : undefined,
      flatten: isOn(context, 'flatten'),
      dry_run: isDryRun,
    });
    const deployed = await followDeployments(context, result.deployments);
    const hasConflicts = result.conflicts.length > 0 && deployed.exit === EXIT.done;
    return {
      exit: hasConflicts ? EXIT.refused : deployed.exit,
      text: [...lines(result, isDryRun, isOn(context, 'flatten')), ...deployed.lines].join('\n'),
      json: { ...result, ...deployed.json },
      outputs: ['change_id'],
    };
  },
};

function lines({ apply, conflicts, flatten, change_id: change }: Applied, isDryRun: boolean, isFlattened: boolean) {
  const { created, updated, left_out: leftOut, gone, rules } = apply;
  const counts = `create ${shown(created)} (${counted(rules, 'pattern', 'patterns')}, ${shown(gone)} gone), update ${shown(updated)}; ${counted(leftOut, 'row is', 'rows are')} answered already`;
  return [
    `${isDryRun ? 'would ' : ''}${counts}${change === null ? '' : ` (change ${change})`}`,
    ...conflicts.map(({ url, code }) => `  conflict ${code}: ${url}`),
    ...flatten.map(
      ({ old_path: path, before, after }) =>
        `  ${isFlattened ? 'flattened' : 'could be flattened'}: ${path}: ${before} -> ${after}`,
    ),
  ];
}
