import type { ComponentChildren } from 'preact';
import type { Hits } from '../../api/client/wire.ts';
import { number } from '../../format.ts';
import { urlWith } from '../../router.ts';
import type { HitsByHour } from './chart-points.ts';
import { changeText, comparedText, isToday, narrowed, type View } from './view.ts';

/** The totals that are stored for the filters. */
export function Tiles({ hits, view }: { hits: HitsByHour & { not_found?: number | null }; view: View }) {
  const isPart = isToday(view);
  const before = isPart ? undefined : hits.previous_period;
  const hitsBefore = isPart ? sameHoursBefore(hits) : before?.total_hits;
  const { not_found: notFound = null, avg_response_time: time } = hits;
  const environment = view.query.environment === 'production' ? '' : `?environment=${view.query.environment}`;
  return (
    <div>
      <dl class="stack gap-3 tiles">
        <Tile
          name="Hits"
          hint={view.part === undefined ? 'By humans' : 'Of the filter'}
          count={hits.total_hits}
          before={hitsBefore}
        />
        <Tile name="Visitors" hint="Unique" count={hits.unique_visitors} before={before?.unique_visitors} />
        <Tile
          name="Not found"
          hint={<a href={`/websites/${view.websiteId}/not-found${environment}`}>View paths</a>}
          count={notFound}
          before={before?.not_found}
          isWorse
        />
        <Tile
          name="Bots"
          hint={<a href={urlWith(narrowed('agents', 'bots'))}>Only bots</a>}
          count={hits.bot_hits}
          before={before?.bot_hits}
        />
        <Tile
          name="Assistants"
          hint={
            <>
              <a href={urlWith(narrowed('agents', 'assistants'))}>Only assistants</a>, not verified
            </>
          }
          count={hits.assistant_hits}
          before={before?.assistant_hits}
        />
        <Tile
          name="Response time"
          hint="Network excluded"
          count={time !== null && hits.total_hits === 0 ? '–' : time && timeOf(time)}
        />
      </dl>
      <p class="small muted">{isPart ? todayText(hitsBefore) : changesText(hits, view)}</p>
    </div>
  );
}

const todayText = (hitsBefore: number | undefined): string =>
  hitsBefore === undefined ? 'Until now.' : 'Until now. The change of hits is vs. the same hours of the compared day.';

const changesText = (hits: Hits, view: View): string =>
  hits.previous_period ? `Changes are vs. ${comparedText(hits, view)}.` : `No data for ${comparedText(hits, view)}.`;

/** Hits of the compared day in the hours that have begun; undefined without data. */
function sameHoursBefore({ hourly_hits: hours }: HitsByHour): number | undefined {
  if (!hours) return undefined;
  const before = hours.map(({ previous_hits }) => previous_hits);
  return before.includes(null) ? undefined : before.reduce<number>((sum, hits) => sum + (hits ?? 0), 0);
}

/** Formats `0.4ms` in the browser's locale, on one line; less than 0.1 ms in µs. */
function timeOf(text: string): string {
  const ms = Number.parseFloat(text);
  if (!Number.isFinite(ms)) return text;
  const [value, unit] = ms > 0 && ms < 0.1 ? [1_000 * ms, 'µs'] : [ms, 'ms'];
  return `${value.toLocaleString(undefined, { maximumSignificantDigits: 2 })}\u00A0${unit}`;
}

function Tile({
  name,
  hint,
  count,
  before,
  isWorse = false,
}: {
  name: string;
  hint: ComponentChildren;
  /** or a text; null: not stored for the filters */
  count: number | string | null;
  before?: number | null | undefined;
  /** a higher count is worse */
  isWorse?: boolean;
}) {
  if (count === null) return null;
  const isNumber = typeof count === 'number';
  return (
    <div class="card">
      <dt class="muted">{name}</dt>
      <dd class="value">{isNumber ? number(count) : count}</dd>
      {isNumber && before != null && (
        <dd class={isWorse && count > before ? 'small change warned' : 'small change'}>{changeText(count, before)}</dd>
      )}
      <dd class="small muted">{hint}</dd>
    </div>
  );
}
