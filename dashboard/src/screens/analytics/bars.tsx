import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { exportUrl, type HitTable } from '../../api/analytics.ts';
import { number } from '../../format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { PathText } from '../../ui/text/path-text.tsx';
import { changeText, isToday, TOP, type View } from './view.ts';

interface Bar {
  key: string;
  label: string;
  isPath?: boolean;
  count: number;
  /** in the compared period */
  before?: number | null | undefined;
  /** narrows the report to the row */
  href?: string;
}

export interface BarsProps {
  table: HitTable;
  title: string;
  /** most hits first */
  rows: Bar[];
  /** of all rows, those that are not loaded included */
  total: number;
  emptyText: string;
  /** the name of hits in further rows */
  others: string;
  /** hits that no row can have, listed last */
  unnamed?: Pick<Bar, 'label' | 'count'>[];
}

export const share = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/**
 * A bar chart as a list: count, share and change of each row, bars relative to the largest. Shows ten rows, and all
 * loaded ones on demand. `onMore` loads more rows.
 */
export function Bars({
  table,
  title,
  rows,
  total,
  emptyText,
  others,
  unnamed = [],
  view,
  onMore,
}: BarsProps & { view: View; onMore: () => void }) {
  const id = useId();
  const isExpanded = useSignal(false);
  const shown = isExpanded.value ? rows : rows.slice(0, TOP);
  const named = [...shown, ...unnamed].reduce((sum, { count }) => sum + count, 0);
  const rest = { label: others, count: Math.max(0, total - named) };
  const rests = [rest, ...unnamed].filter(({ count }) => count > 0);
  const largest = rows[0]?.count ?? 1;
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <CsvLink view={view} table={table} />
      </header>
      {rows.length === 0 && <p class="body muted">{emptyText}</p>}
      {rows.length + rests.length > 0 && (
        <ol class="bars" data-compared={!isToday(view) && rows.some(({ before }) => before != null)}>
          {shown.map((row) => (
            <li key={row.key}>
              <div class="bar" style={{ width: `${(row.count / largest) * 100}%` }} />
              <span class="bar-label">
                <Label row={row} />
              </span>
              <Numbers count={row.count} total={total} before={isToday(view) ? undefined : row.before} />
            </li>
          ))}
          {rests.map(({ label, count }) => (
            <li key={`rest ${label}`} class="muted">
              <span class="bar-label">{label}</span>
              <Numbers count={count} total={total} />
            </li>
          ))}
        </ol>
      )}
      {!isExpanded.value && rows.length >= TOP && rest.count > 0 && (
        <p class="bars-more">
          <Button
            size="small"
            onClick={() => {
              isExpanded.value = true;
              onMore();
            }}
          >
            Show more
          </Button>
        </p>
      )}
    </section>
  );
}

function Numbers({ count, total, before }: Pick<Bar, 'count' | 'before'> & { total: number }) {
  return (
    <>
      <span>{number(count)}</span>
      <span class="muted small">{share.format(total === 0 ? 0 : count / total)}</span>
      {before != null && (
        <span class="muted small" title={`${number(before)} in the compared days`}>
          {before === 0 ? 'new' : changeText(count, before)}
        </span>
      )}
    </>
  );
}

function Label({ row: { label, isPath = false, href } }: { row: Bar }) {
  const text = isPath ? <PathText path={label} /> : label;
  if (href === undefined) return <>{text}</>;
  return (
    <a class={isPath ? 'mono' : ''} href={href}>
      {text}
    </a>
  );
}

/** Downloads a complete table of the period as CSV. */
export function CsvLink({ view, table }: { view: View; table: HitTable }) {
  const { websiteId, redirectId, group, query } = view;
  return (
    <LinkButton
      size="small"
      icon="import"
      aria-label={`CSV of ${table.replace('utm_', 'UTM ')}`}
      href={exportUrl({ website_id: websiteId, redirect_id: redirectId, group_id: group, table, ...query })}
      download
    >
      CSV
    </LinkButton>
  );
}
