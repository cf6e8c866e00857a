import './tester.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isAbort, type ApiError, asApiError } from '../../api/api-error.ts';
import { testUrl } from '../../api/tester.ts';
import type { TestedUrl, Website } from '../../api/wire.ts';
import { type Params, query, setQuery } from '../../router.ts';
import { useWebsite } from '../../state/websites.ts';
import { ENVIRONMENT_OPTIONS } from '../../ui/environment.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { environmentIn } from '../../urls.ts';
import { TestResult } from './test-result.tsx';

const DEBOUNCE_MS = 200;

/** Shows how the live rules respond to a URL, while it is typed. */
export function TesterScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  return website ? <Tester website={website} /> : null;
}

function Tester({ website }: { website: Website }) {
  const url = query.value.get('url') ?? '';
  const environment = environmentIn(query.value);
  const answer = useSignal<TestedUrl | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  const retries = useSignal(0);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      if (url.trim() === '') return (answer.value = error.value = undefined);
      testUrl({ website_id: website.id, environment, url: url.trim() }, controller.signal).then(
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
  }, [website.id, environment, url, retries.value]);
  const urlError = error.value?.issueOf('url');
  return (
    <Page title="Tester" lead="See how the live rules respond to a URL.">
      <div class="tester-form">
        <TextField
          label="URL or path"
          isCode
          autofocus
          placeholder={`/old-page${website.hosts[0] ? ` or https://${website.hosts[0].hostname}/old-page` : ''}`}
          value={url}
          onText={(text) => setQuery({ url: text })}
          error={urlError}
        />
        <SelectField
          label="Environment"
          value={environment}
          options={ENVIRONMENT_OPTIONS}
          onChoose={(name) => setQuery({ environment: name })}
        />
      </div>
      {error.value && urlError === undefined && <Problem error={error.value} onRetry={() => retries.value++} />}
      {answer.value && !error.value && <TestResult website={website} answer={answer.value} />}
      {!answer.value && !error.value && (
        <Empty icon="tester" title="Test a URL">
          See which redirect matches, which others have lower precedence, and every step to the end.
        </Empty>
      )}
    </Page>
  );
}
