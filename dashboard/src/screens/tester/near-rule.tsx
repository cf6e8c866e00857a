import { findRedirects } from '../../api/redirects.ts';
import type { Redirect, TestedUrl, Website } from '../../api/client/wire.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { mayEdit } from '../../state/session.ts';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { redirectUrl } from '../../urls.ts';

/** Redirects that are read: those that hold the path as text, newest first. */
const READ = 20;

/** For a path without a redirect: one that differs only in letter case or the slash at its end, and why it does not match. */
export function NearRule({ website, answer: { path } }: { website: Website; answer: TestedUrl }) {
  const q = withoutSlash(path);
  const { answer } = useAnswer(
    q === '' ? undefined : `${website.id} ${q}`,
    (signal) => findRedirects({ website_id: website.id, q, is_regex: false, limit: READ }, signal),
    0,
  );
  const near = answer && nearRule(answer.redirects, path);
  if (!near) return null;
  return (
    <p class="break">
      <a class="mono" href={redirectUrl(website.id, near.id)}>
        <WrappedPath path={near.old_path} />
      </a>{' '}
      differs only in {near.old_path.toLowerCase() === path.toLowerCase() ? 'letter case' : 'the slash at its end'}, and
      this website distinguishes it. {mayEdit.value && <a href={`/websites/${website.id}/settings`}>Change</a>}
    </p>
  );
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '');
const fold = (path: string): string => withoutSlash(path).toLowerCase();

/** The redirect whose path differs only in letter case and the slash at its end. */
const nearRule = (redirects: readonly Redirect[], path: string): Redirect | undefined =>
  redirects.find(({ old_path: source }) => source !== path && fold(source) === fold(path));
