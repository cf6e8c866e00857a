import { findRedirects } from '../../api/redirects.ts';
import type { TestedUrl, Website } from '../../api/client/wire.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { mayEdit } from '../../state/session.ts';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { redirectUrl } from '../../urls.ts';
import { nearRule } from './resolved-text.ts';

/** Redirects that are read: those that hold the path as text, newest first. */
const READ = 20;

/** Why a path has no redirect, if one differs from it only in a way that the website distinguishes. */
export function NearRule({
  website,
  answer: { environment, path },
}: {
  website: Website;
  answer: Pick<TestedUrl, 'environment' | 'path'>;
}) {
  const q = path.replace(/\/$/, '');
  const { answer } = useAnswer(
    q === '' ? undefined : `${website.id} ${environment} ${q}`,
    (signal) => findRedirects({ website_id: website.id, environment, q, is_regex: false, limit: READ }, signal),
    0,
  );
  const near = answer && nearRule(answer.redirects, path, website);
  if (!near) return null;
  return (
    <p class="break">
      <a class="mono" href={redirectUrl(website.id, near.rule.id)}>
        <WrappedPath path={near.rule.old_path} />
      </a>{' '}
      differs only in {near.by}. This website distinguishes that.{' '}
      {mayEdit.value && <a href={`/websites/${website.id}/settings`}>Change</a>}
    </p>
  );
}
