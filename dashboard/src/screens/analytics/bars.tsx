import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { number } from '../../format.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { PathText } from '../../ui/text/path-text.tsx';
import { TOP, type View } from './view.ts';
import { exportUrl, type HitTable } from '../../api/analytics.ts';

export interface Bar {
  key: string;
  label: string;
  isPath?: boolean;
  count: number;
  href?: string;
}

/** Hits that belong to no bar. */
export interface Rest {
  label: string;
  count: number;
}

const share = new Intl.NumberFormat(undefined, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/**
 * A bar chart as a list: count and share of each row, bars relative to the largest. Shows ten rows, and all loaded ones
 * on demand.
 */
export function Bars({
  title,
  rows,
  total,
  emptyText,
  others,
  unnamed = [],
  csv,
  onMore,
}: {
  title: string;
  /** most hits first */
  rows: Bar[];
  /** of all rows, those that are not loaded included */
  total: number;
  emptyText: string;
  /** the name of hits in further rows */
  others: string;
  /** hits that no row can have, listed last */
  unnamed?: Rest[];
  csv: ComponentChildren;
  /** loads more rows */
  onMore: () => void;
}) {
  const id = useId();
  const isExpanded = useSignal(false);
  const shown = isExpanded.value ? rows : rows.slice(0, TOP);
  const inBars = shown.reduce((sum, { count }) => sum + count, 0);
  const unnamedHits = unnamed.reduce((sum, { count }) => sum + count, 0);
  const rest = { label: others, count: Math.max(0, total - inBars - unnamedHits) };
  const rests = [rest, ...unnamed].filter(({ count }) => count > 0);
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {csv}
      </header>
      {rows.length === 0 && <p class="body muted">{emptyText}</p>}
      <BarList rows={shown} rests={rests} total={total} />
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

function BarList({ rows, rests, total }: { rows: Bar[]; rests: Rest[]; total: number }) {
  const largest = rows[0]?.count ?? 1;
  if (rows.length + rests.length === 0) return null;
  return (
    <ol class="bars">
      {rows.map((row) => (
        <li key={row.key}>
          <div class="bar" style={{ width: `${(row.count / largest) * 100}%` }} />
          <span class="bar-label">
            <Label row={row} />
          </span>
          <Numbers count={row.count} total={total} />
        </li>
      ))}
      {rests.map(({ label, count }) => (
        <li key={`rest ${label}`} class="muted">
          <span class="bar-label">{label}</span>
          <Numbers count={count} total={total} />
        </li>
      ))}
    </ol>
  );
}

function Numbers({ count, total }: { count: number; total: number }) {
  return (
    <>
      <span>{number(count)}</span>
      <span class="muted small bar-share">{share.format(total === 0 ? 0 : count / total)}</span>
    </>
  );
}

function Label({ row: { label, isPath = false, href } }: { row: Bar }) {
  const text = isPath ? <PathText path={label} /> : label;
  return href === undefined ? (
    <>{text}</>
  ) : (
    <a class={isPath ? 'mono' : ''} href={href}>
      {text}
    </a>
  );
}

const NAMES: Record<HitTable, string> = {
  days: 'days',
  redirects: 'redirects',
  groups: 'groups',
  countries: 'countries',
  referrers: 'referrers',
  utm_sources: 'UTM sources',
};

/** Downloads a complete table of the period as CSV. */
export function CsvLink({ websiteId, view, table }: { websiteId: number; view: View; table: HitTable }) {
  const { environment, period, redirectId } = view;
  return (
    <LinkButton
      size="small"
      icon="import"
      label={`CSV of ${NAMES[table]}`}
      href={exportUrl({ website_id: websiteId, redirect_id: redirectId, table, environment, period })}
      download
    >
      CSV
    </LinkButton>
  );
}
