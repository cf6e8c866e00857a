import { useId } from 'preact/hooks';
import { number } from '../../format.ts';
import { PathText } from '../../ui/path-text.tsx';

export interface Bar {
  key: string;
  label: string;
  isPath?: boolean;
  count: number;
  href?: string;
}

const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** A bar chart as a list: count and share of each row, bars relative to the largest. */
export function Bars({
  title,
  rows,
  total,
  emptyText,
  rest = 0,
  restName = '',
}: {
  title: string;
  rows: Bar[];
  total: number;
  emptyText: string;
  /** count that is in no row */
  rest?: number;
  restName?: string;
}) {
  const id = useId();
  const largest = rows[0]?.count ?? 1;
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
      </header>
      {rows.length === 0 && <p class="body muted">{emptyText}</p>}
      <ol class="bars">
        {rows.map((row) => (
          <li key={row.key}>
            <div class="bar" style={{ width: `${(row.count / largest) * 100}%` }} />
            <span class="bar-label">
              <Label row={row} />
            </span>
            <span>{number(row.count)}</span>
            <span class="muted small bar-share">{share.format(total === 0 ? 0 : row.count / total)}</span>
          </li>
        ))}
      </ol>
      {rest > 0 && rows.length > 0 && (
        <p class="bars-rest muted small">
          {restName}: {number(rest)}
        </p>
      )}
    </section>
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
