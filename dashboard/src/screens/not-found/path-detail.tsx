import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listActivity } from '../../api/changes.ts';
import { findRedirects } from '../../api/redirects.ts';
import type { MissingPath, Website } from '../../api/client/wire.ts';
import { fullTime } from '../../format.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { Button } from '../../ui/button.tsx';
import { testerUrl } from '../../ui/list/answering-redirect.tsx';
import { nearnessText } from '../../ui/suggestions.ts';
import { WrappedPath } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { activityUrl, redirectUrl } from '../../urls.ts';
import { NearRule } from '../tester/near-rule.tsx';
import { rateText, searchedName } from './view.ts';

/** Redirects with a similar source that are named. */
const MAX_SIMILAR = 5;

interface Props {
  website: Website;
  environment: Environment;
  missing: MissingPath;
  /** fills the form with a target; undefined if the path cannot be redirected */
  onUse: ((target: string) => void) | undefined;
}

/** All that is stored of an unmatched path, and the pages and redirects that are near. */
export function PathDetail({ website, environment, missing, onUse }: Props) {
  const { path, first_seen_at: first, last_seen_at: last, referrer_host: from } = missing;
  const isWhole = !path.endsWith('…');
  return (
    <section class="stack gap-3 small missing-detail" aria-label={`Details of ${path}`}>
      <p class="row-facts">
        <span>{rateText(missing)}</span>
        <span>First: {fullTime(first)}</span>
        <span>Last: {fullTime(last)}</span>
        {from !== null && <span class="break">Last referrer: {from}</span>}
      </p>
      {isWhole && !missing.redirect && <Deleted website={website} path={path} />}
      <NearPages missing={missing} onUse={onUse} />
      {isWhole && <NearRule website={website} answer={{ environment, path }} />}
      <Similar website={website} path={path} />
      {isWhole && (
        <p>
          <a href={testerUrl({ websiteId: website.id, environment }, path)}>Test the path</a>
        </p>
      )}
    </section>
  );
}

/** Says that the redirect of the path was deleted in the last 30 days, and leads to the undo. */
function Deleted({ website, path }: { website: Website; path: string }) {
  const { answer } = useAnswer(
    `${website.id} ${path}`,
    (signal) => listActivity({ website_id: website.id, old_path: path, limit: 1 }, signal),
    0,
  );
  const change = answer?.activity[0]?.change;
  // A change that also updates redirects may have given this one another path.
  if (!change || change.counts.deleted === 0 || change.counts.updated > 0 || change.undone_by !== null) return null;
  return (
    <p>
      Its redirect was deleted by {change.actor.name}, <Time at={change.created_at} />.{' '}
      <a href={activityUrl(website.id, { change: change.id })}>Show the deletion</a>
    </p>
  );
}

/** Suggested pages with their reasons, also the less probable ones. */
function NearPages({ missing, onUse }: Pick<Props, 'missing' | 'onUse'>) {
  const { path, confidence, suggestions } = missing;
  if (suggestions.length === 0) return null;
  return (
    <div class="stack gap-1">
      <p class="strong">Pages that it may have become</p>
      <ul class="stack gap-1">
        {suggestions.map((each, at) => (
          <li key={each.target} class="row wrap">
            <span class="mono break">
              <WrappedPath path={each.target} />
            </span>
            <span class="muted">
              {[nearnessText(path, at === 0 ? confidence : null, each), ...each.reasons].join('; ')}
            </span>
            {onUse && (
              <Button size="small" onClick={() => onUse(each.target)}>
                Use<span class="unseen"> {each.target}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Redirects whose source has the name of the path. */
function Similar({ website, path }: { website: Website; path: string }) {
  const q = searchedName(path);
  const { answer } = useAnswer(
    q && `${website.id} ${q}`,
    (signal) => findRedirects({ website_id: website.id, q, limit: MAX_SIMILAR }, signal),
    0,
  );
  const found = answer?.redirects.filter(({ old_path: source }) => source !== path) ?? [];
  if (found.length === 0) return null;
  return (
    <div class="stack gap-1">
      <p class="strong">Redirects with this name</p>
      <ul class="stack gap-1">
        {found.map(({ id, old_path: source, new_path: target, status_code: status }) => (
          <li key={id} class="break">
            <a class="mono" href={redirectUrl(website.id, id)}>
              <WrappedPath path={source} />
            </a>{' '}
            <span class="muted">
              {status} {target !== null && <span class="mono">{target}</span>}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
