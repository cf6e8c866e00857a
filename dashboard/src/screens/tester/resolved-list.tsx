import { useSignal } from '@preact/signals';
import { counted, number } from '../../format.ts';
import { urlWith } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { PathText } from '../../ui/text/path-text.tsx';
import { ROW, useRows } from '../../ui/list/use-rows.ts';
import { KIND_TEXT, kindOf, type ResolvedUrl, type ResultKind } from './resolved-text.ts';

const STEP = 100;
const KEYS = [{ keys: 'Enter', label: 'Test the URL alone' }];

/** The results of a list in its order, or those of one kind. The counts are the filter. */
export function ResolvedList({ results }: { results: readonly ResolvedUrl[] }) {
  const only = useSignal<ResultKind | undefined>(undefined);
  const limit = useSignal(STEP);
  const list = useRows(KEYS);
  const kinds = results.map(kindOf);
  const shown = results.filter((_, at) => only.value === undefined || kinds[at] === only.value);
  function show(kind: ResultKind | undefined): void {
    only.value = kind;
    limit.value = STEP;
  }
  return (
    <section class="card" aria-label="Results" {...list}>
      <header>
        <h2>
          <span role="status">{counted(results.length, 'URL')} tested</span>
        </h2>
        <div class="actions result-kinds" role="group" aria-label="Show">
          <Button size="small" aria-pressed={only.value === undefined} onClick={() => show(undefined)}>
            All {number(results.length)}
          </Button>
          {(Object.keys(KIND_TEXT) as ResultKind[]).map((kind) => {
            const count = kinds.filter((each) => each === kind).length;
            if (count === 0) return null;
            return (
              <Button key={kind} size="small" aria-pressed={only.value === kind} onClick={() => show(kind)}>
                {KIND_TEXT[kind].label} {number(count)}
              </Button>
            );
          })}
        </div>
      </header>
      <ul class="row-list resolved-list">
        {shown.slice(0, limit.value).map((result, at) => (
          <Result key={at} result={result} />
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

function Result({ result }: { result: ResolvedUrl }) {
  const { label, tone } = KIND_TEXT[kindOf(result)];
  const { url, status_code: status, hops, outcome, final_url: end } = result;
  return (
    <li {...ROW}>
      <a class="mono" data-key="Enter" href={urlWith({ urls: undefined, url })}>
        <PathText path={url} />
      </a>
      <span>
        <span class={`badge ${tone}`}>{label}</span>
      </span>
      <span class="muted small">{status}</span>
      <span class="mono">
        {outcome === 'loop' && <span class="unseen">returns to </span>}
        {hops.length > 0 && result.location !== null && <PathText path={end} />}
        {hops.length === 0 && result.location !== null && <PathText path={result.location} />}
      </span>
    </li>
  );
}
