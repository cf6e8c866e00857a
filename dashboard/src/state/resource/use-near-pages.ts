import { useEffect } from 'preact/hooks';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import type { SuggestedPages } from '../../api/client/wire.ts';
import { suggestPages } from '../../api/urls.ts';
import { useAnswer } from './use-answer.ts';

const RETRY_MS = 1_500;
/** Less probable pages are no help. */
const MIN_SCORE = 0.1;

/** Living pages that a path may mean, best first; empty until they are computed. `path`: undefined asks for none. */
export function useNearPages(
  websiteId: number,
  environment: Environment,
  path: string | undefined,
): SuggestedPages['suggestions'] {
  const { answer, isOwn, retry } = useAnswer(
    path === undefined ? undefined : `${websiteId} ${environment} ${path}`,
    (signal) => suggestPages(websiteId, { environment, path: path ?? '' }, signal),
    0,
  );
  useEffect(() => {
    if (!answer?.pending) return;
    const timer = setTimeout(retry, RETRY_MS);
    return () => clearTimeout(timer);
  }, [answer]);
  return isOwn && answer ? answer.suggestions.filter(({ score }) => score >= MIN_SCORE) : [];
}
