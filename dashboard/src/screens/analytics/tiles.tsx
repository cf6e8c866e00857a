import type { ComponentChildren } from 'preact';
import type { Hits } from '../../api/client/wire.ts';
import { counted, number } from '../../format.ts';
import { changeText } from './view.ts';

export function Tiles({ hits, notFound }: { hits: Hits; notFound?: { count: number; href: string } | undefined }) {
  const before = hits.previous_period;
  const days = counted(hits.daily_hits.length, 'day');
  return (
    <div>
      <dl class="stack gap-3 tiles">
        <Tile name="Hits" hint="By humans" count={hits.total_hits} before={before?.total_hits} />
        <Tile name="Visitors" hint="Unique" count={hits.unique_visitors} before={before?.unique_visitors} />
        {notFound && (
          <Tile
            name="Not found"
            hint={<a href={notFound.href}>View paths</a>}
            count={notFound.count}
            before={before?.not_found}
            isWorse
          />
        )}
        <Tile name="Bots" hint="Counted separately" count={hits.bot_hits} before={before?.bot_hits} />
        <Tile
          name="Assistants"
          hint="By name, not verified"
          count={hits.assistant_hits}
          before={before?.assistant_hits}
        />
        <Tile
          name="Response time"
          hint="Network excluded"
          count={hits.total_hits === 0 ? '–' : timeOf(hits.avg_response_time)}
        />
      </dl>
      <p class="small muted">{before ? `Changes are vs. the ${days} before.` : `No data for the ${days} before.`}</p>
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
  count,
  before,
  isWorse = false,
}: {
  name: string;
  hint: ComponentChildren;
  /** or a text */
  count: number | string;
  before?: number | undefined;
  /** a higher count is worse */
  isWorse?: boolean;
}) {
  const isNumber = typeof count === 'number';
  return (
    <div class="card">
      <dt class="muted">{name}</dt>
      <dd class="value">{isNumber ? number(count) : count}</dd>
      {isNumber && before !== undefined && (
        <dd class={isWorse && count > before ? 'small change warned' : 'small change'}>{changeText(count, before)}</dd>
      )}
      <dd class="small muted">{hint}</dd>
    </div>
  );
}
