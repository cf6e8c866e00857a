import { useEffect } from 'preact/hooks';
import { suggestPages } from '../../api/urls.ts';
import type { TestedUrl, Website } from '../../api/client/wire.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { LinkButton } from '../../ui/button.tsx';
import { PathText } from '../../ui/text/path-text.tsx';

const RETRY_MS = 1_500;
/** Less probable pages are no help. */
const MIN_SCORE = 0.1;

/** Pages that an unmatched path may mean. A click opens the new redirect to one. */
export function NearPages({ website, answer: { environment, path } }: { website: Website; answer: TestedUrl }) {
  const { answer, isOwn, retry } = useAnswer(
    `${website.id} ${environment} ${path}`,
    (signal) => suggestPages(website.id, { environment, path }, signal),
    0,
  );
  useEffect(() => {
    if (!answer?.pending) return;
    const timer = setTimeout(retry, RETRY_MS);
    return () => clearTimeout(timer);
  }, [answer]);
  const near = (answer?.suggestions ?? []).filter(({ score }) => score >= MIN_SCORE);
  if (!answer || !isOwn || near.length === 0) return null;
  return (
    <section>
      <h2>Did you mean</h2>
      <ul class="row wrap">
        {near.map(({ target, reasons }) => (
          <li key={target} class="shrink" title={reasons.join('\n')}>
            <LinkButton
              size="small"
              icon="arrow"
              href={`/websites/${website.id}/redirects?${String(new URLSearchParams({ new: path, target }))}`}
            >
              <span class="unseen">Redirect {path} to </span>
              <span class="mono">
                <PathText path={target} />
              </span>
            </LinkButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
