import { type Command, type Context, isOn } from '../command.ts';
import { ApiError, EXIT } from '../errors.ts';
import { planMarkdown, planText, problemLines } from '../sync/diff-text.ts';
import { FORMAT_OPTION, type InputFile, openInput } from '../sync/redirects-file.ts';
import { heldLines, putRedirects, SYNC_OPTIONS, type SyncResult } from '../sync/call-sync.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';

export const diff: Command = {
  summary: 'Shows what `sync` would change, and changes nothing.',
  words: 'FILE',
  options: {
    ...WEBSITE_OPTION,
    ...FORMAT_OPTION,
    ...SYNC_OPTIONS,
    markdown: { help: 'Prints Markdown, for the summary of a pull request.' },
  },
  notes: `Exit code 3 if \`sync\` would be refused, because it deletes or clears more than --max-delete allows, or if the
redirects would have a loop or fail the gate.`,
  async run(context) {
    const file = await openInput(context, context.words[0] ?? '', 'redirects');
    const website = await websiteOf(context);
    const { plan, refusal } = await planOf(context, website.id, file);
    const markdown = planMarkdown(plan, { title: `Redirects of ${website.name}`, refusal: refusal?.message });
    const lines = [planText(plan), ...heldLines(website), ...(refusal ? [`refused: ${refusal.message}`] : [])];
    return {
      exit: refusal || problemLines(plan).length > 0 ? EXIT.refused : EXIT.done,
      text: isOn(context, 'markdown') ? markdown : lines.join('\n'),
      json: { website_id: website.id, ...plan, refused: refusal?.json ?? null },
      markdown,
    };
  },
};

/** The plan, also if the guard refuses it: then a second call without the guard lists the changes. */
async function planOf(
  context: Context,
  websiteId: string,
  file: InputFile,
): Promise<{ plan: SyncResult; refusal?: ApiError }> {
  const put = (query: object): Promise<SyncResult> =>
    putRedirects(context, websiteId, file, { dry_run: true, ...query });
  try {
    return { plan: await put({}) };
  } catch (error) {
    const isGuard = error instanceof ApiError && error.code === 'TOO_MANY_DELETES';
    if (!isGuard || !file.body.isReplayable) throw error;
    return { plan: await put({ max_delete: '100%' }), refusal: error };
  }
}
