import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type TestOptions, testUrls } from '../../api/redirects.ts';
import { counted, fullTime, number } from '../../format.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { submitOnCtrlEnter, TextArea } from '../../ui/form/field.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { isAsExpected, readLines } from './expected-lines.ts';
import { ResolvedList } from './resolved-list.tsx';
import type { TestedLine } from './resolved-text.ts';
import type { TestProps } from './test-one.tsx';

const MAX_URLS = 5_000;
const HINT =
  'One per line, up to 5,000. After a URL you may write its expected target, status or both. Paste the columns of a spreadsheet.';

interface Run {
  options: TestOptions;
  tested: TestedLine[];
}

/** Tests a pasted list of URLs, and lists the results in its order. The form gives way to the results. */
export function TestList({ website, options, children }: TestProps) {
  const text = useSignal('');
  const run = useSignal<Run | undefined>(undefined);
  const isEditing = useSignal(true);
  const { lines, errors } = useMemo(() => readLines(text.value), [text.value]);
  const isReady = lines.length > 0 && lines.length <= MAX_URLS && errors.length === 0;
  const { error, isBusy, submit } = useSubmit(
    async () => {
      run.value = undefined;
      const { results } = await testUrls({ ...options, urls: lines.map(({ url }) => url) });
      const hosts = new Set(website.hosts.map(({ hostname }) => hostname));
      const tested = results.map((result, at): TestedLine => {
        const expected = lines[at]?.expected;
        return { result, expected, isExpected: expected && isAsExpected(result, expected, hosts) };
      });
      run.value = { options, tested };
      isEditing.value = false;
    },
    { isReady },
  );
  const rejected = rejectedLine(error.value?.issues);
  const lineError =
    errors[0] ??
    (rejected && { line: lines[rejected.at]?.line, message: `${lines[rejected.at]?.url}: ${rejected.message}` });
  const others = errors.length > 1 ? ` (and ${counted(errors.length - 1, 'other line')})` : '';
  const tooMany = lines.length > MAX_URLS ? `${number(lines.length)} URLs: test at most 5,000 at a time` : undefined;
  // Another environment or time needs another run.
  const isOpen = isEditing.value || JSON.stringify(run.value?.options) !== JSON.stringify(options);
  const ref = useFocusOn(isOpen);
  return (
    <div class="stack gap-5" ref={ref}>
      {isOpen && (
        <form class="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
          <TextArea
            label="URLs or paths"
            isCode
            rows={8}
            value={text.value}
            onText={(next) => (text.value = next)}
            hint={HINT}
            error={tooMany ?? (lineError && `line ${lineError.line}: ${lineError.message}${others}`)}
          />
          <div class="stack gap-3 top tester-options">{children}</div>
          <div class="actions">
            <Button kind="primary" type="submit" disabled={!isReady || isBusy.value}>
              {lines.length > 0 ? `Test ${counted(lines.length, 'URL')}` : 'Test'}
            </Button>
          </div>
        </form>
      )}
      {error.value && rejected === undefined && <Problem error={error.value} />}
      {run.value && (
        <ResolvedList
          tested={run.value.tested}
          title={`${counted(run.value.tested.length, 'URL')} tested as ${runText(run.value.options)}`}
          onEdit={isOpen ? undefined : () => (isEditing.value = true)}
        />
      )}
    </div>
  );
}

/** The URL that the service rejects, by its place in the list. */
function rejectedLine(issues: readonly { path: string; message: string }[] = []) {
  const [issue] = issues;
  const [, at] = /^urls\[(\d+)\]/.exec(issue?.path ?? '') ?? [];
  return issue && at !== undefined ? { at: Number(at), message: issue.message } : undefined;
}

function runText({ environment = 'production', against, at }: TestOptions): string {
  return `${environment}${against === 'draft' ? ' with undeployed changes' : ''}${at ? `, at ${fullTime(at)}` : ''}`;
}

/** When the form closes or opens again, the focus goes to what replaces the button that had it. */
function useFocusOn(isOpen: boolean) {
  const ref = useRef<HTMLDivElement>(null);
  const before = useRef(isOpen);
  useLayoutEffect(() => {
    if (before.current === isOpen) return;
    before.current = isOpen;
    if (document.activeElement !== document.body) return;
    ref.current?.querySelector<HTMLElement>(isOpen ? 'textarea' : '[data-edit]')?.focus();
  }, [isOpen]);
  return ref;
}
