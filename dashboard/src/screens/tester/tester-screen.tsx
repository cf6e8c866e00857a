import './tester.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isAbort, type ApiError, asApiError } from '../../api/api-error.ts';
import { testUrl } from '../../api/tester.ts';
import type { TestedUrl, Website } from '../../api/wire.ts';
import { type Params, query, setQuery } from '../../router.ts';
import { useWebsite } from '../../state/websites.ts';
import { ENVIRONMENT_OPTIONS } from '../../ui/environment.tsx';
import { timeZone } from '../../format.ts';
import { DateTimeField } from '../../ui/date-time-field.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { environmentIn } from '../../urls.ts';
import { TestResult } from './test-result.tsx';

const DEBOUNCE_MS = 200;

/** The time in the URL at which schedules are evaluated; '' for now. */
function timeIn(parameters: URLSearchParams): string {
  const at = parameters.get('at') ?? '';
  return Number.isNaN(Date.parse(at)) ? '' : at;
}

/** Shows how the live rules respond to a URL, while it is typed. */
export function TesterScreen({ params }: { params: Params }) {
  const website = useWebsite(params);
  return website ? <Tester website={website} /> : null;
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

function Tester({ website }: { website: Website }) {
  const url = query.value.get('url') ?? '';
  const environment = environmentIn(query.value);
  const at = timeIn(query.value);
  const { answer, error, retry } = useAnswer({
    website_id: website.id,
    environment,
    url: url.trim(),
    at: at || undefined,
  });
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
        <DateTimeField
          label="At"
          value={at}
          onChange={(time) => setQuery({ at: time })}
          hint={at === '' ? 'Now' : timeZone()}
          error={error.value?.issueOf('at')}
        />
      </div>
      {error.value && urlError === undefined && <Problem error={error.value} onRetry={retry} />}
      {answer.value && !error.value && <TestResult website={website} answer={answer.value} />}
      {!answer.value && !error.value && (
        <Empty icon="tester" title="Test a URL">
          See which redirect matches, which others have lower precedence, and every step to the end.
        </Empty>
      )}
    </Page>
  );
}
