import { useSignal } from '@preact/signals';
import { testUrls } from '../../api/redirects.ts';
import type { ResolvedUrls } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { toast } from '../../state/toasts.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-button.tsx';
import { TextArea } from '../../ui/form/field.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { ResolvedList } from './resolved-list.tsx';
import { sheetOf } from './resolved-text.ts';
import type { TestProps } from './test-one.tsx';

const MAX_URLS = 5_000;

/** Tests a pasted list of URLs, and lists the results in its order. */
export function TestList({ options, children }: TestProps) {
  const text = useSignal('');
  const results = useSignal<ResolvedUrls['results'] | undefined>(undefined);
  const urls = text.value.split('\n').flatMap((line) => line.trim() || []);
  const tooMany = urls.length > MAX_URLS ? `${number(urls.length)} URLs: test at most 5,000 at a time` : undefined;
  const isReady = urls.length > 0 && tooMany === undefined;
  const { error, isBusy, submit } = useSubmit(
    async () => {
      results.value = undefined;
      results.value = (await testUrls({ ...options, urls })).results;
    },
    { isReady },
  );
  const [wrong] = error.value?.issues ?? [];
  const wrongLine = wrong && /^urls\[(\d+)\]/.exec(wrong.path)?.[1];
  return (
    <>
      <form class="fields" onSubmit={submit}>
        <TextArea
          label="URLs or paths"
          isCode
          rows={8}
          value={text.value}
          onText={(next) => (text.value = next)}
          hint="One per line, up to 5,000. Paste a column of a spreadsheet."
          error={tooMany ?? (wrongLine && `${urls[Number(wrongLine)]}: ${wrong.message}`)}
        />
        <div class="stack gap-3 top tester-options">{children}</div>
        <div class="actions">
          <Button kind="primary" type="submit" disabled={!isReady || isBusy.value}>
            {urls.length > 0 ? `Test ${counted(urls.length, 'URL')}` : 'Test'}
          </Button>
          {results.value && (
            <Button icon="copy" onClick={() => void copyResults(results.value ?? [])}>
              Copy results
            </Button>
          )}
        </div>
      </form>
      {error.value && wrongLine === undefined && <Problem error={error.value} />}
      {results.value && <ResolvedList results={results.value} />}
    </>
  );
}

async function copyResults(results: ResolvedUrls['results']): Promise<void> {
  if (await copyText(sheetOf(results))) toast('Results copied. Paste them into a spreadsheet.');
}
