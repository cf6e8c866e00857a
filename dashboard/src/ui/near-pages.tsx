import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Environment } from '../../../src/vocabulary/environment.ts';
import { suggestPages } from '../api/urls.ts';
import { useAnswer } from '../state/resource/use-answer.ts';

const RETRY_MS = 1_500;
/** Less probable pages are no help. */
const MIN_SCORE = 0.1;

interface Props {
  websiteId: number;
  environment: Environment;
  path: string;
  title: ComponentChildren;
  /** the button of a page */
  children: (target: string) => ComponentChildren;
}

/** Living pages that a path may mean, best first, below a title. Nothing until they are computed, or without any. */
export function NearPages({ websiteId, environment, path, title, children }: Props) {
  const { answer, isOwn, retry } = useAnswer(
    `${websiteId} ${environment} ${path}`,
    (signal) => suggestPages(websiteId, { environment, path }, signal),
    0,
  );
  useEffect(() => {
    if (!answer?.pending) return;
    const timer = setTimeout(retry, RETRY_MS);
    return () => clearTimeout(timer);
  }, [answer]);
  const near = (answer?.suggestions ?? []).filter(({ score }) => score >= MIN_SCORE);
  if (!isOwn || near.length === 0) return null;
  return (
    <section>
      {title}
      <ul class="row wrap">
        {near.map(({ target, reasons }) => (
          <li key={target} class="shrink" title={reasons.join('\n')}>
            {children(target)}
          </li>
        ))}
      </ul>
    </section>
  );
}
