import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { checkRedirect } from '../../api/redirects.ts';
import type { RedirectCheck } from '../../api/wire.ts';
import { type Draft, fieldsOf } from './draft.ts';

const DEBOUNCE_MS = 200;

/**
 * Checks a draft with the service while the user types: debounced, newer requests abort older ones, and the previous
 * result stays until the next. Undefined before the first result and after a failure, which does not prevent saving.
 */
export function useCheck(
  websiteId: number,
  draft: Draft,
  { redirectId, tryPath = '' }: { redirectId?: number | undefined; tryPath?: string },
): RedirectCheck | undefined {
  const check = useSignal<RedirectCheck | undefined>(undefined);
  const fields = fieldsOf(draft);
  const testPath = tryPath.trim();
  const body = {
    ...fields,
    website_id: websiteId,
    ...(redirectId !== undefined && { id: redirectId }),
    ...(draft.is_regex && testPath !== '' && { try_path: testPath }),
  };
  useEffect(() => {
    if (fields.old_path === '' && (fields.new_path ?? '') === '') {
      check.value = undefined;
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      checkRedirect(body, controller.signal).then(
        (result) => {
          if (!controller.signal.aborted) check.value = result;
        },
        () => {
          if (!controller.signal.aborted) check.value = undefined;
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [JSON.stringify(body)]);
  return check.value;
}
