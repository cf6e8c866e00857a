import { batch, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError, isAbort } from '../../api/client/api-error.ts';
import type { Website } from '../../api/client/wire.ts';
import { askedUrl } from '../../asked-url.ts';
import type { Section } from './entry.ts';
import { find } from './find.ts';

const DEBOUNCE_MS = 180;

/**
 * The results of the service for a text. The previous ones stay until the next arrive, and are removed if the request
 * fails. `isSettled`: they are those of this text.
 */
export function useFound(text: string, websites: readonly Website[], current: Website | undefined) {
  const result = useSignal<{ text: string; sections: Section[]; error?: ApiError }>({ text: '', sections: [] });
  const retries = useSignal(0);
  useEffect(() => {
    if (text === '') {
      result.value = { text, sections: [] };
      return;
    }
    const controller = new AbortController();
    const question = { text, asked: askedUrl(text, websites, current), websites, current };
    const timer = setTimeout(() => {
      find(question, controller.signal).then(
        (sections) => {
          if (!controller.signal.aborted) result.value = { text, sections };
        },
        (thrown: unknown) => {
          if (!controller.signal.aborted && !isAbort(thrown))
            result.value = { text, sections: [], error: asApiError(thrown) };
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text, current?.id, retries.value]);
  const { sections, error } = result.value;
  const isSettled = result.value.text === text;
  return {
    sections,
    isSettled,
    error: isSettled ? error : undefined,
    retry: () =>
      batch(() => {
        result.value = { text: '', sections: [] };
        retries.value++;
      }),
  };
}
