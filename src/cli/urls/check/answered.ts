/** Findings that a redirect answers. */
import { type Context, text } from '../../command.ts';
import { putRedirects } from '../../sync/call-sync.ts';
import { openInput } from '../../sync/redirects-file.ts';
import type { BrokenLink } from '../folder/links.ts';
import { decoded } from '../folder/page-url.ts';
import type { LostUrl } from './check-build.ts';

const BATCH_SIZE = 5_000;

/** Removes the links that the rules of the website answer with a redirect; the fallback is no answer. */
export async function unansweredLinks(context: Context, websiteId: string, links: BrokenLink[]): Promise<BrokenLink[]> {
  const against = text(context, 'against') ?? 'live';
  const rules = against === 'live' ? {} : against === 'draft' ? { against } : { version: Number(against) };
  const place = { website_id: websiteId, environment: text(context, 'environment'), ...rules };
  const broken: BrokenLink[] = [];
  for (let at = 0; at < links.length; at += BATCH_SIZE) {
    const batch = links.slice(at, at + BATCH_SIZE);
    const body = { ...place, urls: batch.map(({ target }) => target) };
    const { results } = await context.client.post<{
      results: { status_code: number; redirect_id: string | null }[];
    }>('/redirects/test', body, { canRepeat: true });
    const answered = results.map((result) => result.redirect_id !== null && result.status_code < 400);
    broken.push(...batch.filter((_link, index) => !answered[index]));
  }
  return broken;
}

/**
 * Removes the URLs that the file of `--redirects` answers, by a plan of its sync. Only literal rules count, and none to a
 * URL that is lost itself.
 */
export async function unansweredByFile(context: Context, websiteId: string, lost: LostUrl[]): Promise<LostUrl[]> {
  const path = text(context, 'redirects');
  if (path === undefined || lost.length === 0) return lost;
  const file = await openInput(context, path, 'redirects');
  const { changes = [] } = await putRedirects(context, websiteId, file, { dry_run: true, max_delete: '100%' });
  const lostPaths = new Set(lost.map(({ url }) => pathOf(url)));
  const answered = changes.filter(({ after }) => {
    const environments = after?.target_environments ?? ['production'];
    const isLive = after && !after.is_regex && environments.includes(text(context, 'environment') ?? 'production');
    return isLive && !lostPaths.has(pathOf(after.new_path ?? ''));
  });
  const paths = new Set(answered.map((change) => pathOf(change.old_path)));
  return lost.filter(({ url }) => !paths.has(pathOf(url)));
}

/** Without query and fragment, decoded. */
const pathOf = (url: string): string => decoded(url.replace(/[?#].*$/s, ''));
