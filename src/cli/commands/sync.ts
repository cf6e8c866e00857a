import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import type { Query } from '../client.ts';
import { choice, type Command, type Context, environmentOption, isOn, type Outcome, text } from '../command.ts';
import { ApiError, EXIT, UsageError } from '../errors.ts';
import {
  type Deployed,
  type Deployment,
  followDeployments,
  heldRefusal,
  RESUME_OPTION,
  WAIT_OPTIONS,
} from '../deployments.ts';
import { planText, problemLines } from '../sync/diff-text.ts';
import { FORMAT_OPTION, type InputFile, openInput } from '../sync/redirects-file.ts';
import { SERVERS } from '../servers/server-sync.ts';
import { countsText, heldLines, isEmpty, putRedirects, SYNC_OPTIONS, type SyncResult } from '../sync/call-sync.ts';
import { undoChange, undoText } from '../undo-change.ts';
import { type Website, WEBSITE_OPTION, websiteOf } from '../website.ts';

const REVISION = { pattern: /^\d{1,15}$/, must: 'be the number of a revision' };

export const sync: Command = {
  summary: 'Makes a file the truth: afterwards the website has exactly its redirects.',
  words: 'FILE',
  options: {
    ...WEBSITE_OPTION,
    ...FORMAT_OPTION,
    ...SYNC_OPTIONS,
    'if-revision': { value: 'N', form: REVISION, help: 'Applies it only if the website is at this revision.' },
    'if-history': { value: 'ID', help: 'With --if-revision: the history that this revision must have.' },
    'dry-run': { help: 'Shows what would happen and changes nothing, like `detour diff`.' },
    deploy: environmentOption(
      'Deploys this environment if the sync did not, because the website does not deploy automatically.',
    ),
    resume: RESUME_OPTION,
    'undo-on-refusal': { help: 'Undoes the sync if the gate refuses its deployment.' },
    yes: { short: 'y', help: 'Does not ask. Without a terminal, it never asks.' },
    ...WAIT_OPTIONS,
  },
  notes: `On a terminal it shows the changes and asks before it applies them. Exit code 3 if it is refused: it deletes or
clears more than --max-delete allows, the website is at another revision, the gate stops the deployment, or a rollback or
promotion holds the environment of --deploy.`,
  async run(context) {
    const [path = ''] = context.words;
    if (Object.hasOwn(SERVERS, path)) {
      throw new UsageError(`"${path}" is a server: write \`detour sync ${path}\` first, or ./${path} for a file`);
    }
    const file = await openInput(context, path, 'redirects');
    const website = await websiteOf(context);
    if (isOn(context, 'dry-run')) {
      const plan = await putRedirects(context, website.id, file, { dry_run: true, ...revisionOf(context) });
      const exit = problemLines(plan).length > 0 ? EXIT.refused : EXIT.done;
      return { exit, text: [planText(plan), ...heldLines(website)].join('\n'), json: plan };
    }
    const confirmed = await confirm(context, website, file);
    if (!confirmed) return { exit: EXIT.failed, text: 'nothing was changed', json: { sync: null } };
    const result = await putRedirects(context, website.id, file, { ...revisionOf(context), ...confirmed });
    const also = await deployAlso(context, website, result);
    const deployed = await followDeployments(context, [...result.deployments, ...also.ids]);
    const outcome = await finish(context, website, result, deployed);
    if (also.held === undefined) return outcome;
    const json = { ...outcome.json, not_deployed: also.held };
    return { exit: outcome.exit || EXIT.refused, text: `${outcome.text}\n${also.held}`, json };
  },
};

function revisionOf(context: Context): Query {
  return { if_revision: text(context, 'if-revision'), if_history: text(context, 'if-history') };
}

/** Undefined: the user declined. Otherwise the revision that the user has seen, so that exactly this is applied. */
async function confirm(context: Context, website: Website, file: InputFile): Promise<Query | undefined> {
  const { terminal } = context;
  if (isOn(context, 'yes') || !terminal.isInteractive || !file.body.isReplayable) return {};
  const plan = await putRedirects(context, website.id, file, { dry_run: true, ...revisionOf(context) });
  const seen = { if_revision: plan.revision, if_history: plan.history ?? undefined };
  if (isEmpty(plan.sync)) return seen;
  terminal.note(planText(plan));
  return (await terminal.confirm(`Apply this to ${website.name}?`)) ? seen : undefined;
}

/**
 * Queues the deployment of `--deploy`, unless the sync has queued it or nothing waits for it. `held`: why a held
 * environment is not deployed.
 */
async function deployAlso(
  context: Context,
  website: Website,
  result: SyncResult,
): Promise<{ ids: string[]; held?: string }> {
  const { client } = context;
  const environment = choice(context, 'deploy', ENVIRONMENTS);
  const isAutomatic = website.auto_deploy && !(environment && website.held_environments.includes(environment));
  if (environment === undefined || (isAutomatic && result.deployments.length > 0)) return { ids: [] };
  const place = { website_id: website.id, environment };
  const { counts } = await client.get<{ counts: Record<string, number> }>('/deployments/diff', place);
  if (Object.values(counts).every((count) => count === 0)) return { ids: [] };
  try {
    const body = { ...place, resume: isOn(context, 'resume') };
    return { ids: [(await client.post<{ deployment: Deployment }>('/deployments', body)).deployment.id] };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'ENVIRONMENT_HELD') throw error;
    return { ids: [], held: heldRefusal(environment) };
  }
}

async function finish(context: Context, website: Website, result: SyncResult, deployed: Deployed): Promise<Outcome> {
  const change = result.change_id ? ` (change ${result.change_id}, revision ${result.revision})` : '';
  const chosen = choice(context, 'deploy', ENVIRONMENTS);
  const held = { ...website, held_environments: website.held_environments.filter((name) => name !== chosen) };
  const lines = [countsText(result.sync) + change, ...deployed.lines, ...heldLines(held)];
  const json = { ...result, ...deployed.json };
  if (deployed.exit !== EXIT.refused || !result.change_id) return { exit: deployed.exit, text: lines.join('\n'), json };
  if (!isOn(context, 'undo-on-refusal')) {
    lines.push(`the gate refused the deployment; fix the file, or run \`detour undo ${result.change_id}\``);
    return { exit: EXIT.refused, text: lines.join('\n'), json };
  }
  const undone = await undoChange(context.client, result.change_id, false);
  const restored = await followDeployments(context, undone.deployments ?? []);
  lines.push(`the gate refused the deployment, so the sync is undone: ${undoText(undone)}`, ...restored.lines);
  return { exit: EXIT.refused, text: lines.join('\n'), json: { ...json, undone } };
}
