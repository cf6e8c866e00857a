import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError, isAbort } from '../../api/api-error.ts';
import { type TestOptions, testUrl } from '../../api/tester.ts';
import type { TestedUrl, Website } from '../../api/wire.ts';
import { query, setQuery } from '../../router.ts';
import { TextField } from '../../ui/field.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { TestResult } from './test-result.tsx';

const DEBOUNCE_MS = 200;

/** Tests the URL of the field while it is typed. `children`: the fields of the options. */
export function TestOne({
  website,
  options,
  children,
}: {
  website: Website;
  options: TestOptions;
  children: ComponentChildren;
}) {
  const url = query.value.get('url') ?? '';
  const { answer, error, retry } = useAnswer({ ...options, url: url.trim() });
  const urlError = error.value?.issueOf('url');
  const [host] = website.hosts;
  return (
    <>
      <div class="tester-form">
        <TextField
          label="URL or path"
          isCode
          autofocus
          placeholder={`/old-page${host ? ` or https://${host.hostname}/old-page` : ''}`}
          value={url}
          onText={(text) => setQuery({ url: text }, { replace: true })}
          error={urlError}
        />
        {children}
      </div>
      {error.value && urlError === undefined && <Problem error={error.value} onRetry={retry} />}
      {answer.value && !error.value && <TestResult website={website} answer={answer.value} />}
      {!answer.value && !error.value && (
        <Empty icon="tester" title="Test a URL">
          See which redirect matches, which others have lower precedence, and every step to the end.
        </Empty>
      )}
    </>
  );
}

type Question = Parameters<typeof testUrl>[0];

/** The answer to the question, or why it failed; both undefined without a URL. The previous answer stays until then. */
function useAnswer(question: Question) {
  const answer = useSignal<TestedUrl | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  const retries = useSignal(0);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      if (question.url === '') return (answer.value = error.value = undefined);
      testUrl(question, controller.signal).then(
        (found) => {
          answer.value = found;
          error.value = undefined;
        },
        (thrown: unknown) => {
          if (!isAbort(thrown)) error.value = asApiError(thrown);
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [JSON.stringify(question), retries.value]);
  return { answer, error, retry: () => void retries.value++ };
}
