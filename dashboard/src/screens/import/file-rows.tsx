import './file-rows.css';
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Verdict } from '../../../../src/vocabulary/import-verdict.ts';
import { reportUrl } from '../../api/imports.ts';
import type { CheckedRow } from '../../api/wire.ts';
import { number } from '../../format.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Problem } from '../../ui/states.tsx';
import { CorrectRow } from './correct-row.tsx';
import { CheckedRowLine } from './checked-row.tsx';
import type { FileImport } from './file-import.ts';
import { placeRows } from './row-places.ts';
import { createRowWindow } from './row-window.ts';
import { rowsIn, type VerdictCounts } from './verdict-filter.tsx';
import { VERDICT_LABELS } from './verdict-labels.ts';

const NARROW = '(width < 960px)';
const ROW_PX = 44;
const NARROW_ROW_PX = 92;

/** The rows of the checked file, or those of one verdict. */
export function FileRows({ work, importId, counts }: { work: FileImport; importId: string; counts: VerdictCounts }) {
  const only = work.shown.value;
  const total = only ? counts[only] : rowsIn(counts);
  const rowsText = total === 1 ? 'this row' : only ? `these ${number(total)} rows` : `all ${number(total)} rows`;
  return (
    <section class="card file-rows" data-now={currentColumnOf(counts, only)}>
      <header>
        <h2>{only ? VERDICT_LABELS[only].title : 'All rows'}</h2>
        <LinkButton size="small" icon="import" href={reportUrl(importId, only)} download>
          Download {rowsText}
        </LinkButton>
      </header>
      <Rows key={`${importId} ${only}`} work={work} importId={importId} only={only} total={total} />
    </section>
  );
}

/** The content of the column "Current", which decides its width. */
function currentColumnOf(counts: VerdictCounts, only: Verdict | undefined): 'redirects' | 'rows' | 'nothing' {
  const has = (verdict: Verdict): boolean => (only === undefined || only === verdict) && counts[verdict] > 0;
  if (has('replaces') || has('unchanged') || has('skipped')) return 'redirects';
  return has('repeated') ? 'rows' : 'nothing';
}

function Rows({
  work,
  importId,
  only,
  total,
}: {
  work: FileImport;
  importId: string;
  only: Verdict | undefined;
  total: number;
}) {
  const window = useMemo(() => createRowWindow(importId, only), []);
  useEffect(() => window.stop, []);
  const edited = useSignal<CheckedRow | undefined>(undefined);
  const scroller = useRef<HTMLDivElement>(null);
  const view = useView(scroller);
  const { height, first, end, topOf } = placeRows(total, useRowHeight(), view.value.top, view.value.height);
  useEffect(() => window.show(first, end), [first, end]);
  void window.version.value;
  if (window.error.value) return <Problem error={window.error.value} onRetry={work.check} />;
  return (
    <div
      ref={scroller}
      class="file-scroll"
      tabIndex={0}
      role="region"
      aria-label="Rows of the file"
      onScroll={({ currentTarget: { scrollTop: top } }) => (view.value = { ...view.value, top })}
    >
      <div role="table" aria-label="Result of each row" aria-rowcount={total + 1}>
        <Head />
        <div role="rowgroup" class="file-body" style={{ height: `${height}px` }}>
          {Array.from({ length: end - first }, (_, index) => first + index).map((at) => (
            <CheckedRowLine
              key={at}
              row={window.row(at)}
              at={at}
              y={topOf(at)}
              websiteId={work.websiteId}
              onEdit={(row) => (edited.value = row)}
            />
          ))}
        </div>
      </div>
      {edited.value && <CorrectRow work={work} row={edited.value} onClose={() => (edited.value = undefined)} />}
    </div>
  );
}

/** Scroll position and visible height below the sticky header. */
function useView(scroller: RefObject<HTMLDivElement | null>) {
  const view = useSignal({ top: 0, height: 480 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const measure = new ResizeObserver(() => {
      const head = element.querySelector<HTMLElement>('.file-head')?.offsetHeight ?? 0;
      view.value = { top: element.scrollTop, height: element.clientHeight - head };
    });
    measure.observe(element);
    return () => measure.disconnect();
  }, []);
  return view;
}

function useRowHeight(): number {
  const isNarrow = useMemo(() => matchMedia(NARROW), []);
  const height = useSignal(isNarrow.matches ? NARROW_ROW_PX : ROW_PX);
  useEffect(() => {
    const change = (): void => void (height.value = isNarrow.matches ? NARROW_ROW_PX : ROW_PX);
    isNarrow.addEventListener('change', change);
    return () => isNarrow.removeEventListener('change', change);
  }, []);
  return height.value;
}

function Head() {
  return (
    <div role="rowgroup" class="file-head">
      <div role="row" class="file-row" aria-rowindex={1}>
        <span role="columnheader" class="file-number">
          Line
        </span>
        <span role="columnheader">Result</span>
        <span role="columnheader">From</span>
        <span role="columnheader">To</span>
        <span role="columnheader">Status</span>
        <span role="columnheader">Current</span>
      </div>
    </div>
  );
}
