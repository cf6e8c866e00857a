import '../../../ui/list/long-list.css';
import './file-rows.css';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Verdict } from '../../../../../src/vocabulary/import/verdict.ts';
import { reportUrl } from '../../../api/imports.ts';
import type { CheckedRow } from '../../../api/client/wire.ts';
import { number } from '../../../format.ts';
import { LinkButton } from '../../../ui/button.tsx';
import { Problem } from '../../../ui/page/states.tsx';
import { media, placeRows, useViewport } from '../../../ui/list/viewport.ts';
import { CorrectRow } from './correct-row.tsx';
import { CheckedRowLine } from './checked-row.tsx';
import type { FileImport } from '../file-import.ts';
import { createPageCache, rowsIn, type VerdictCounts } from '../page-cache.ts';
import { VERDICT_LABELS } from './verdict-filter.tsx';

const isNarrow = media('(width < 960px)');
const ROW_PX = 44;
const NARROW_ROW_PX = 92;

/** The rows of the checked file, or those of one verdict. */
export function FileRows({ work, importId, counts }: { work: FileImport; importId: string; counts: VerdictCounts }) {
  const only = work.shown.value;
  const total = only ? counts[only] : rowsIn(counts);
  const rowsText = total === 1 ? 'this row' : only ? `these ${number(total)} rows` : `all ${number(total)} rows`;
  return (
    <section class="card list-card file-rows" data-now={currentColumnOf(counts, only)}>
      <header>
        <h2>{only ? VERDICT_LABELS[only].title : 'All rows'}</h2>
        <LinkButton size="small" icon="import" href={reportUrl(importId, only)} download>
          Download {rowsText}
        </LinkButton>
      </header>
      <Rows key={`${importId} ${only}`} work={work} importId={importId} only={only} counts={counts} total={total} />
    </section>
  );
}

/** The content of the column "Current", which decides its width. */
function currentColumnOf(counts: VerdictCounts, only: Verdict | undefined): 'redirects' | 'rows' | 'nothing' {
  const has = (verdict: Verdict): boolean => (only === undefined || only === verdict) && counts[verdict] > 0;
  if (has('replaces') || has('unchanged') || has('skipped')) return 'redirects';
  return has('repeated') ? 'rows' : 'nothing';
}

interface RowsProps {
  work: FileImport;
  importId: string;
  only: Verdict | undefined;
  counts: VerdictCounts;
  total: number;
}

function Rows({ work, importId, only, counts, total }: RowsProps) {
  const pages = useMemo(() => createPageCache(importId, counts, only), []);
  useEffect(() => pages.stop, []);
  const edited = useSignal<CheckedRow | undefined>(undefined);
  const scroller = useRef<HTMLDivElement>(null);
  const viewport = useViewport(scroller);
  const rowPx = isNarrow.value ? NARROW_ROW_PX : ROW_PX;
  const { height, first, end, topOf } = placeRows(total, rowPx, viewport.value);
  useEffect(() => pages.show(first, end), [first, end]);
  void pages.version.value;
  if (pages.error.value) return <Problem error={pages.error.value} onRetry={work.check} />;
  return (
    <div ref={scroller} class="file-scroll" tabIndex={0} role="region" aria-label="Rows of the file">
      <div role="table" aria-label="Result of each row" aria-rowcount={total + 1} style={{ '--row': `${rowPx}px` }}>
        <Head />
        <div role="rowgroup" class="rows" style={{ height: `${height}px` }}>
          {Array.from({ length: end - first }, (_, index) => first + index).map((at) => (
            <CheckedRowLine
              key={at}
              row={pages.row(at)}
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

function Head() {
  return (
    <div role="rowgroup" class="grid-head">
      <div role="row" class="grid-row file-row" aria-rowindex={1}>
        {['Line', 'Result', 'From', 'To', 'Status', 'Current'].map((label) => (
          <span key={label} role="columnheader" class={label === 'Line' ? 'file-number' : undefined}>
            {label}
          </span>
        ))}
      </div>
    </div>
  );
}
