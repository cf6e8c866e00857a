import type { ComponentChildren } from 'preact';
import type { Hits } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { changeText } from './view.ts';

type Previous = NonNullable<Hits['previous_period']>;

/** Totals of the period, compared with the previous one. */
export function Tiles({ hits, notFound }: { hits: Hits; notFound?: { count: number; href: string } }) {
  const change = (value: number, of: (previous: Previous) => number): string | undefined =>
    hits.previous_period ? changeText(value, of(hits.previous_period)) : undefined;
  const days = hits.daily_hits.length;
  const hasDataBefore = hits.previous_period !== null;
  return (
    <div class="tiles-block">
      <dl class="tiles">
        <Tile name="Hits" hint="Bots excluded" change={change(hits.total_hits, (before) => before.total_hits)}>
          {number(hits.total_hits)}
        </Tile>
        <Tile name="Visitors" hint="Unique" change={change(hits.unique_visitors, (before) => before.unique_visitors)}>
          {number(hits.unique_visitors)}
        </Tile>
        {notFound && (
          <Tile
            name="Not found"
            hint={<a href={notFound.href}>View paths</a>}
            change={change(notFound.count, (before) => before.not_found)}
          >
            {number(notFound.count)}
          </Tile>
        )}
        <Tile name="Bots" hint="Counted separately" change={change(hits.bot_hits, (before) => before.bot_hits)}>
          {number(hits.bot_hits)}
        </Tile>
        <Tile name="Response time" hint="Network excluded">
          {hits.total_hits === 0 ? '–' : timeOf(hits.avg_response_time)}
        </Tile>
      </dl>
      <p class="small muted tiles-note">
        {hasDataBefore
          ? `Changes are vs. the ${counted(days, 'day')} before.`
          : `No data for the ${counted(days, 'day')} before.`}
      </p>
    </div>
  );
}

/** Formats `0.4ms` in the browser's locale. */
function timeOf(text: string): string {
  const ms = Number.parseFloat(text);
  return Number.isFinite(ms) ? `${ms.toLocaleString(undefined, { maximumSignificantDigits: 2 })} ms` : text;
}

function Tile({
  name,
  hint,
  change,
  children,
}: {
  name: string;
  hint: ComponentChildren;
  change?: string | undefined;
  children: string;
}) {
  return (
    <div class="card">
      <dt>{name}</dt>
      <dd class="value">{children}</dd>
      {change !== undefined && <dd class="small change">{change}</dd>}
      <dd class="small muted">{hint}</dd>
    </div>
  );
}
