import type { ComponentChildren } from 'preact';
import { type TestOptions, testUrl } from '../../api/redirects.ts';
import { writes } from '../../api/client/client.ts';
import type { Website } from '../../api/client/wire.ts';
import { query, setQuery } from '../../router.ts';
import { useOnChange } from '../../state/resource/use-resource.ts';
import { useAnswer } from '../../state/resource/use-answer.ts';
import { TextField } from '../../ui/form/field.tsx';
import { Empty, Problem } from '../../ui/page/states.tsx';
import { TestResult } from './test-result.tsx';

const DEBOUNCE_MS = 200;
/** Delays of further tests after a change, until it is deployed. */
const REPEAT_MS = [300, 1_500, 4_000];

export interface TestProps {
  website: Website;
  options: TestOptions;
  /** the fields of the options */
  children: ComponentChildren;
}

/** Tests the URL of the field while it is typed. */
export function TestOne({ website, options, children }: TestProps) {
  const url = query.value.get('url') ?? '';
  const question = { ...options, url: url.trim() };
  const key = question.url === '' ? undefined : JSON.stringify(question);
  const { answer, error, retry } = useAnswer(key, (signal) => testUrl(question, signal), DEBOUNCE_MS);
  useOnChange(writes.value, () => REPEAT_MS.forEach((ms) => setTimeout(retry, ms)));
  const urlError = error?.issueOf('url');
  const [host] = website.hosts;
  return (
    <>
      <div class="stack gap-3 top tester-form">
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
      {error && urlError === undefined && <Problem error={error} onRetry={retry} />}
      {answer && <TestResult website={website} answer={answer} />}
      {!answer && !error && (
        <Empty icon="tester" title="Test a URL">
          See which redirect matches, which others have lower precedence, and every step to the end.
        </Empty>
      )}
    </>
  );
}
