import { useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { putExpectations } from '../../api/checks.ts';
import type { Website } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { urlWith } from '../../router.ts';
import { toast } from '../../state/toasts.ts';
import { mayEdit } from '../../state/session.ts';
import { ActionButton, Button, LinkButton } from '../../ui/button.tsx';
import { copyText, saveFile } from '../../ui/copy-button.tsx';
import { Steps, PathText } from '../../ui/text/path-text.tsx';
import { pathOf } from '../../urls.ts';
import { Headings } from '../../ui/list/resource-list.tsx';
import { ROW, useRows } from '../../ui/list/use-rows.ts';
import { scheduledText } from '../../ui/scheduled-redirect.tsx';
import {
  asExpected,
  brokenText,
  csvOf,
  expectationOf,
  KIND_TEXT,
  kindOf,
  type ResultKind,
  rowsOf,
  sheetOf,
  type TestedLine,
} from './resolved-text.ts';

const STEP = 100;
const KINDS = Object.entries(KIND_TEXT).map(([kind, { label }]) => [kind as ResultKind, label] as const);
const KEYS = [{ keys: 'Enter', label: 'Test the URL alone' }];

interface Props {
  website: Website;
  /** the tested one */
  environment: Environment;
  tested: readonly TestedLine[];
  title: string;
  /** undefined while the form is open */
  onEdit: (() => void) | undefined;
}

/** The results of a list in its order, or those of one kind. */
export function ResolvedList({ website, environment, tested, title, onEdit }: Props) {
  const kind = useSignal<ResultKind | undefined>(undefined);
  const held = useSignal<boolean | undefined>(undefined);
  const limit = useSignal(STEP);
  const list = useRows(KEYS);
  const isCompared = tested.some(({ expected }) => expected);
  const compared = tested.filter(({ isExpected }) => held.value === undefined || isExpected === held.value);
  const shown = compared.filter(({ result }) => kind.value === undefined || kindOf(result) === kind.value);
  function show(what: { held?: boolean | undefined; kind?: ResultKind | undefined }): void {
    if ('held' in what) held.value = what.held;
    kind.value = what.kind;
    limit.value = STEP;
  }
  return (
    <section class="card" aria-label="Results" {...list}>
      <header>
        <h2>
          <span role="status">{title}</span>
        </h2>
        <Actions {...{ website, environment, tested, shown, onEdit }} />
        <div class="actions result-filters">
          {isCompared && (
            <Counts
              label="Comparison"
              values={tested.map(({ isExpected }) => isExpected)}
              texts={[
                [true, asExpected(true)],
                [false, asExpected(false)],
              ]}
              chosen={held.value}
              onChoose={(value) => show({ held: value })}
            />
          )}
          <Counts
            label="Result"
            values={compared.map(({ result }) => kindOf(result))}
            texts={KINDS}
            chosen={kind.value}
            onChoose={(value) => show({ kind: value })}
          />
        </div>
      </header>
      <ul class={`row-list resolved-list ${isCompared ? 'compared' : ''}`}>
        <Headings texts={['URL', 'Result', 'Response', ...(isCompared ? ['Comparison'] : [])]} />
        {shown.slice(0, limit.value).map((each, at) => (
          <Result key={at} of={each} websiteId={website.id} />
        ))}
      </ul>
      {shown.length > limit.value && (
        <div class="more">
          <Button onClick={() => (limit.value += STEP)}>Load more</Button>
        </div>
      )}
    </section>
  );
}

/** `shown`: the rows of the chosen kinds. */
function Actions({
  website,
  environment,
  tested,
  shown,
  onEdit,
}: Omit<Props, 'title'> & { shown: readonly TestedLine[] }) {
  async function copy(): Promise<void> {
    if (await copyText(sheetOf(rowsOf(tested)))) toast('Results copied. Paste them into a spreadsheet.');
  }
  const save = (): void =>
    saveFile({ name: 'tested-urls.csv', content: new Blob([csvOf(rowsOf(tested))], { type: 'text/csv' }) });
  async function expectShown(): Promise<void> {
    const { created, updated } = await putExpectations(
      website.id,
      shown.map((each) => expectationOf(each, environment)),
    );
    const list = { label: 'View', href: `/websites/${website.id}/expectations` };
    toast(`Expectations: ${number(created)} added, ${number(updated)} updated`, undefined, list);
  }
  return (
    <div class="actions">
      {onEdit && (
        <Button size="small" icon="edit" data-edit="" onClick={onEdit}>
          Edit
        </Button>
      )}
      {mayEdit.value && shown.length > 0 && (
        <ActionButton
          size="small"
          icon="expectations"
          title="What each line expects, otherwise how its URL responded"
          failure="Could not save the expectations"
          onAct={expectShown}
        >
          Save {shown.length < tested.length ? number(shown.length) : 'all'} as expectations
        </ActionButton>
      )}
      <Button size="small" icon="copy" onClick={() => void copy()}>
        Copy results
      </Button>
      <Button size="small" icon="file" onClick={save}>
        CSV
      </Button>
    </div>
  );
}

interface CountsProps<Value> {
  label: string;
  /** of each row */
  values: readonly (Value | undefined)[];
  texts: readonly (readonly [value: Value, label: string])[];
  /** undefined: all */
  chosen: Value | undefined;
  onChoose: (value: Value | undefined) => void;
}

/** How many rows have each value; a click shows only those. */
function Counts<Value extends string | boolean>({ label, values, texts, chosen, onChoose }: CountsProps<Value>) {
  const counts = texts.map(([value, text]) => ({ value, text, count: values.filter((each) => each === value).length }));
  return (
    <div class="actions result-kinds" role="group" aria-label={label}>
      <span class="small muted">{label}</span>
      <Button size="small" aria-pressed={chosen === undefined} onClick={() => onChoose(undefined)}>
        All {number(values.length)}
      </Button>
      {counts.map(
        ({ value, text, count }) =>
          count > 0 && (
            <Button key={String(value)} size="small" aria-pressed={chosen === value} onClick={() => onChoose(value)}>
              {text} {number(count)}
            </Button>
          ),
      )}
    </div>
  );
}

function NewRedirect({ websiteId, url, target }: { websiteId: number; url: string; target: string | undefined }) {
  const query = new URLSearchParams({ new: pathOf(url), ...(target !== undefined && { target }) });
  return (
    <LinkButton size="small" icon="plus" href={`/websites/${websiteId}/redirects?${String(query)}`}>
      New redirect
    </LinkButton>
  );
}

function Result({ of: { result, expected, isExpected }, websiteId }: { of: TestedLine; websiteId: number }) {
  const kind = kindOf(result);
  const { label, tone } = KIND_TEXT[kind];
  const { url, status_code: status, hops, outcome, location, final_url: end, inactive } = result;
  const steps = hops.map((hop) => ({ text: hop.location ?? 'no target', note: String(hop.status_code) }));
  return (
    <li {...ROW}>
      <a class="mono" data-key="Enter" href={urlWith({ urls: undefined, url })}>
        <PathText path={url} />
      </a>
      <span>
        <span class={`badge ${tone}`}>{label}</span>
      </span>
      <div class="response">
        <span class="muted small">{status}</span>
        <span class="mono">
          {outcome === 'loop' && <span class="muted small">returns to </span>}
          {location !== null && <PathText path={hops.length > 0 ? end : location} />}
        </span>
        {kind === 'broken' && <span class="bad small break">{brokenText(result.final_target)}</span>}
        {kind === 'unlisted' && <span class="muted small">in no list of living pages</span>}
        {kind === 'missing' && !inactive && mayEdit.value && (
          <NewRedirect websiteId={websiteId} url={url} target={expected?.target} />
        )}
        {inactive && (
          <span class="muted small break">
            {scheduledText({ ...inactive, status: inactive.status_code, target: inactive.location })}
          </span>
        )}
        {hops.length > 1 && (
          <details>
            <summary class="small">{counted(hops.length, 'hop')}</summary>
            <Steps
              isLoop={outcome === 'loop' || outcome === 'too-many'}
              steps={[{ text: url, note: 'request' }, ...steps]}
            />
          </details>
        )}
      </div>
      {expected && (
        <div class="response">
          <span class={`badge ${isExpected ? 'ok' : 'danger'}`}>{asExpected(isExpected === true)}</span>
          {expected.status !== undefined && <span class="muted small">{expected.status}</span>}
          {expected.target !== undefined && (
            <span class="mono">
              <PathText path={expected.target} />
            </span>
          )}
        </div>
      )}
    </li>
  );
}
