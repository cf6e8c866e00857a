import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type TestOptions, testUrls } from '../../api/redirects.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted, fullTime, number } from '../../format.ts';
import { readStored, writeStored } from '../../state/browser.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { Button } from '../../ui/button.tsx';
import { submitOnCtrlEnter, TextArea } from '../../ui/form/field.tsx';
import { Notice, Problem } from '../../ui/page/states.tsx';
import { isAsExpected, ownLines, readLines, type TestLine, withoutLines, type WrongLine } from './expected-lines.ts';
import { ResolvedList } from './resolved-list.tsx';
import type { TestedLine } from './resolved-text.ts';
import type { TestProps } from './test-one.tsx';

const MAX_URLS = 5_000;
const HINT =
  'One per line, up to 5,000. After a URL you may write its expected target, status or both. Paste the columns of a spreadsheet.';

interface Run {
  options: TestOptions;
  tested: TestedLine[];
  /** lines that were not tested */
  left: readonly WrongLine[];
}

/** Tests a pasted list of URLs, and lists the results in its order. The form gives way to the results. */
export function TestList({ website, options, children }: TestProps) {
  const stored = `detour.tested.${website.id}`;
  const text = useSignal(readStored(stored, 'sessionStorage') ?? '');
  function setText(next: string): void {
    text.value = next;
    error.value = undefined;
    writeStored(stored, next, 'sessionStorage');
  }
  const run = useSignal<Run | undefined>(undefined);
  const isEditing = useSignal(true);
  const { lines, errors } = useMemo(() => ownLines(readLines(text.value), website), [text.value, website]);
  const isReady = lines.length > 0 && lines.length <= MAX_URLS;
  const { error, isBusy, submit } = useSubmit(
    async () => {
      run.value = undefined;
      const { results } = await testUrls({ ...options, urls: lines.map(({ url }) => url) });
      const hosts = new Set(website.hosts.map(({ hostname }) => hostname));
      const tested = results.map((result, at): TestedLine => {
        const expected = lines[at]?.expected;
        return { result, expected, isExpected: expected && isAsExpected(result, expected, hosts) };
      });
      run.value = { options, tested, left: errors };
      isEditing.value = false;
    },
    { isReady },
  );
  const rejected = rejectedLine(lines, error.value?.issues);
  const wrong = errors.length > 0 || !rejected ? errors : [rejected];
  const tooMany = lines.length > MAX_URLS ? `${number(lines.length)} URLs: test at most 5,000 at a time` : undefined;
  // Another environment or time needs another run.
  const isOpen = isEditing.value || JSON.stringify(run.value?.options) !== JSON.stringify(options);
  const ref = useFocusOn(isOpen);
  return (
    <div class="stack gap-5" ref={ref}>
      {isOpen && (
        <form class="fields" onSubmit={submit} onKeyDown={submitOnCtrlEnter}>
          <ListText
            text={text.value}
            wrongLines={wrong.map(({ line }) => line)}
            message={tooMany ?? textOf(wrong)}
            onText={setText}
          />
          <div class="stack gap-3 top tester-options">{children}</div>
          <div class="actions">
            <Button kind="primary" type="submit" disabled={!isReady} isBusy={isBusy.value}>
              {lines.length > 0 ? `Test ${counted(lines.length, 'URL')}` : 'Test'}
            </Button>
          </div>
        </form>
      )}
      {error.value && rejected === undefined && <Problem error={error.value} />}
      {run.value && (
        <Results website={website} run={run.value} onEdit={isOpen ? undefined : () => (isEditing.value = true)} />
      )}
    </div>
  );
}

interface ResultsProps {
  website: Website;
  run: Run;
  onEdit: (() => void) | undefined;
}

/** Lines in the notice of those that were not tested. */
const MAX_LEFT = 100;

function Results({ website, run: { tested, left, options }, onEdit }: ResultsProps) {
  const others = left.slice(1, MAX_LEFT);
  return (
    <>
      {left.length > 0 && (
        <Notice>
          Not tested: <span class="break">{textOf(left)}</span>.
          {others.length > 0 && (
            <details>
              <summary class="small">Show {others.length < left.length - 1 ? `the first ${MAX_LEFT}` : 'them'}</summary>
              <ul class="small break">
                {others.map(({ line, message }) => (
                  <li key={line}>
                    Line {line}: {message}
                  </li>
                ))}
              </ul>
            </details>
          )}
        </Notice>
      )}
      <ResolvedList
        website={website}
        environment={options.environment ?? 'production'}
        tested={tested}
        title={`${counted(tested.length, 'URL')} tested as ${runText(options)}`}
        onEdit={onEdit}
      />
    </>
  );
}

interface ListTextProps {
  text: string;
  /** from 1 */
  wrongLines: readonly number[];
  message: string | undefined;
  onText: (text: string) => void;
}

/** The lines, with a button that removes the wrong ones. */
function ListText({ text, wrongLines, message, onText }: ListTextProps) {
  const [first, second] = wrongLines;
  return (
    <>
      <TextArea label="URLs or paths" isCode rows={8} value={text} onText={onText} hint={HINT} error={message} />
      {first !== undefined && (
        <div class="actions">
          <Button size="small" onClick={() => onText(withoutLines(text, wrongLines))}>
            Remove {second === undefined ? `line ${first}` : counted(wrongLines.length, 'wrong line')}
          </Button>
        </div>
      )}
    </>
  );
}

/** The line that the service rejects. */
function rejectedLine(
  lines: readonly TestLine[],
  issues: readonly { path: string; message: string }[] = [],
): WrongLine | undefined {
  const [issue] = issues;
  const [, at] = /^urls\[(\d+)\]/.exec(issue?.path ?? '') ?? [];
  const line = at === undefined ? undefined : lines[Number(at)];
  return issue && line && { line: line.line, message: `${line.url}: ${issue.message}` };
}

function textOf([first, ...others]: readonly WrongLine[]): string | undefined {
  const more = others.length > 0 ? ` (and ${counted(others.length, 'other line')})` : '';
  return first && `line ${first.line}: ${first.message}${more}`;
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
