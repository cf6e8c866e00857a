import type { ComponentChildren } from 'preact';
import type { Hits } from '../../api/wire.ts';
import { number } from '../../format.ts';

/** Totals of the period. */
export function Tiles({ hits, notFound }: { hits: Hits; notFound?: { count: number; href: string } }) {
  return (
    <dl class="tiles">
      <Tile name="Hits" hint="Bots excluded">
        {number(hits.total_hits)}
      </Tile>
      <Tile name="Visitors" hint="Unique">
        {number(hits.unique_visitors)}
      </Tile>
      {notFound && (
        <Tile name="Not found" hint={<a href={notFound.href}>View paths</a>}>
          {number(notFound.count)}
        </Tile>
      )}
      <Tile name="Bots" hint="Counted separately">
        {number(hits.bot_hits)}
      </Tile>
      <Tile name="Response time" hint="Network excluded">
        {hits.total_hits === 0 ? '–' : timeOf(hits.avg_response_time)}
      </Tile>
    </dl>
  );
}

/** Formats `0.4ms` in the browser's locale. */
function timeOf(text: string): string {
  const ms = Number.parseFloat(text);
  return Number.isFinite(ms) ? `${ms.toLocaleString(undefined, { maximumSignificantDigits: 2 })} ms` : text;
}

function Tile({ name, hint, children }: { name: string; hint: ComponentChildren; children: string }) {
  return (
    <div class="card">
      <dt>{name}</dt>
      <dd class="value">{children}</dd>
      <dd class="small muted">{hint}</dd>
    </div>
  );
}
