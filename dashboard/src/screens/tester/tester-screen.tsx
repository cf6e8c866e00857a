import './tester.css';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ENVIRONMENTS, isEnvironment } from '../../../../src/vocabulary/environment.ts';
import { isAbort, type ApiError, asApiError } from '../../api/api-error.ts';
import { testAddress } from '../../api/tester.ts';
import type { TestAnswer, Website } from '../../api/wire.ts';
import { type Params, query, setQuery } from '../../router.ts';
import { websites } from '../../state/websites.ts';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Problem } from '../../ui/states.tsx';
import { TestResult } from './test-result.tsx';

const DEBOUNCE_MS = 200;

/** What the live rules do with an address, and why: asked while it is typed. */
export function TesterScreen({ params }: { params: Params }) {
  const website = websites.value?.find(({ id }) => String(id) === params['websiteId']);
  return website ? <Tester website={website} /> : null;
}

function Tester({ website }: { website: Website }) {
  const url = query.value.get('url') ?? '';
  const named = query.value.get('environment') ?? '';
  const environment = isEnvironment(named) ? named : 'production';
  const answer = useSignal<TestAnswer | undefined>(undefined);
  const error = useSignal<ApiError | undefined>(undefined);
  const tries = useSignal(0);
  useEffect(() => {
    const mine = new AbortController();
    const timer = setTimeout(() => {
      if (url.trim() === '') return (answer.value = error.value = undefined);
      testAddress({ website_id: website.id, environment, url: url.trim() }, mine.signal).then(
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
      mine.abort();
    };
  }, [website.id, environment, url, tries.value]);
  const wrong = error.value?.issueOf('url');
  return (
    <Page title="Tester" lead="What a visitor gets for an address, by the rules that are live.">
      <div class="tester-form">
        <TextField
          label="Address or path"
          isCode
          autofocus
          placeholder={`/old-page${website.hosts[0] ? ` or https://${website.hosts[0].hostname}/old-page` : ''}`}
          value={url}
          onText={(text) => setQuery({ url: text })}
          wrong={wrong}
        />
        <SelectField
          label="Environment"
          value={environment}
          options={ENVIRONMENTS.map((name) => [name, ENVIRONMENT_LABEL[name]] as const)}
          onChoose={(name) => setQuery({ environment: name })}
        />
      </div>
      {error.value && wrong === undefined && <Problem error={error.value} onRetry={() => tries.value++} />}
      {answer.value && !error.value && <TestResult website={website} answer={answer.value} />}
      {!answer.value && !error.value && (
        <Empty icon="tester" title="Try an address">
          You see which redirect answers, which others it beats, and every step to the end.
        </Empty>
      )}
    </Page>
  );
}
