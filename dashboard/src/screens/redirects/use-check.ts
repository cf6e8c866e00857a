import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { checkRedirect } from '../../api/redirects.ts';
import type { RedirectCheck } from '../../api/wire.ts';
import { type Draft, fieldsOf } from './draft.ts';

/** Long enough for a word to be typed in one go, too short to be waited for. */
const PAUSE_MS = 200;

/**
 * What the service says of a draft: asked once the typing pauses, an overtaken question is broken off, and the last answer stands until
 * the next, so that nothing flickers. Undefined before the first answer and where there is none to be had: a check that cannot be
 * reached keeps nobody from saving.
 */
export function useCheck(
  websiteId: number,
  draft: Draft,
  { redirectId, tryPath = '' }: { redirectId?: number | undefined; tryPath?: string },
): RedirectCheck | undefined {
  const check = useSignal<RedirectCheck | undefined>(undefined);
  const fields = fieldsOf(draft);
  const tried = tryPath.trim();
  const body = {
    ...fields,
    website_id: websiteId,
    ...(redirectId !== undefined && { id: redirectId }),
    ...(draft.is_regex && tried !== '' && { try_path: tried }),
  };
  useEffect(() => {
    if (fields.old_path === '' && (fields.new_path ?? '') === '') {
      check.value = undefined;
      return;
    }
    const mine = new AbortController();
    const timer = setTimeout(() => {
      checkRedirect(body, mine.signal).then(
        (answer) => {
          if (!mine.signal.aborted) check.value = answer;
        },
        () => {
          if (!mine.signal.aborted) check.value = undefined;
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      mine.abort();
    };
  }, [JSON.stringify(body)]);
  return check.value;
}
