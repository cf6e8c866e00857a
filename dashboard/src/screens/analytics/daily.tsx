import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { counted, DAY_MS, number } from '../../format.ts';
import { setQuery } from '../../router.ts';
import { listDeployments } from '../../api/deployments.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { compareUrl } from '../deployments/compare-view.ts';
import { HitChart } from './hit-chart.tsx';
import {
  type ChartPoint,
  chartPoints,
  type HitsByHour,
  pointName,
  pointText,
  type Release,
  releaseDay,
  releasesOf,
} from './chart-points.ts';
import { comparedText, dayName, daysQuery, type View } from './view.ts';

/** Deployments to read. Each is up to a few kilobytes. */
const MAX_DEPLOYMENTS = 200;
const MAX_LINKS = 8;

/**
 * Hits by day or hour as a chart and as a table, beside those of the compared period and the releases to the
 * environment.
 */
export function Daily({ hits, view, csv }: { hits: HitsByHour; view: View; csv: ComponentChildren }) {
  const pointedIndex = useSignal<number | null>(null);
  const from = hits.daily_hits.at(-1)?.date ?? '';
  const to = hits.daily_hits[0]?.date ?? '';
  const { websiteId, query } = view;
  const deployments = useResource(`releases:${websiteId}:${query.environment}:${from}:${to}`, (signal) =>
    listDeployments(
      {
        website_id: websiteId,
        environment: query.environment,
        created_since: `${from}T00:00:00Z`,
        created_before: new Date(Date.parse(to) + DAY_MS).toISOString(),
        limit: MAX_DEPLOYMENTS,
      },
      signal,
    ),
  );
  const found = deployments.data.value?.deployments ?? [];
  const releases = releasesOf(found, from, to);
  const points = chartPoints(hits, releases);
  const pointed = pointedIndex.value === null ? undefined : points[pointedIndex.value];
  const peak = points.reduce<ChartPoint | undefined>(
    (best, one) => (one.hits > (best?.hits ?? 0) ? one : best),
    undefined,
  );
  const unit = hits.hourly_hits ? 'Hour' : 'Day';
  const compared = hits.previous_period ? comparedText(hits, view) : undefined;
  return (
    <section class="card" aria-labelledby="daily">
      <header>
        <h2 id="daily">{hits.hourly_hits ? 'Hits by hour' : 'Daily hits'}</h2>
        <span class="small muted grow daily-note">
          {pointed ? pointText(pointed) : peak && `Peak on ${pointName(peak)}: ${number(peak.hits)}`}
        </span>
        {csv}
      </header>
      <HitChart
        label={unit}
        points={points}
        at={pointedIndex}
        onOpen={points.length > 1 && !hits.hourly_hits ? ({ start }) => setQuery(daysQuery(start)) : undefined}
      />
      <WithoutHour hits={hits} />
      {compared && (
        <p class="small muted row daily-key">
          <span aria-hidden="true" />
          {compared}
        </p>
      )}
      <Releases releases={releases} view={view} hasMore={found.length === MAX_DEPLOYMENTS} />
      <Table unit={unit} points={points.toReversed()} compared={compared} />
    </section>
  );
}

/** The newest releases of the period, each with what it changed. `hasMore`: older ones were not read. */
function Releases({ releases, view, hasMore }: { releases: Release[]; view: View; hasMore: boolean }) {
  const { websiteId, query } = view;
  const { environment } = query;
  if (releases.length === 0) return null;
  const rest = releases.length - MAX_LINKS;
  return (
    <ul class="small row wrap daily-releases" aria-label="Releases in this period">
      {[...Map.groupBy(releases.slice(0, MAX_LINKS), releaseDay)].map(([date, ofDay]) => (
        <li key={date} class="row wrap gap-1">
          <span class="muted">{dayName(date)}</span>
          {ofDay.map(({ version }) => (
            <a
              key={version}
              href={compareUrl(websiteId, {
                environment,
                from: version > 1 ? `${version - 1}` : 'none',
                to: `${version}`,
              })}
            >
              Version {version}
            </a>
          ))}
        </li>
      ))}
      {(rest > 0 || hasMore) && (
        <li>
          <a href={`/websites/${websiteId}/deployments?environment=${environment}`}>
            {hasMore ? `More than ${number(Math.max(0, rest))} others` : counted(rest, 'other release')}
          </a>{' '}
          <span class="muted">not listed{hasMore && '; the oldest are not marked'}</span>
        </li>
      )}
    </ul>
  );
}

/** Hits of the days that no hour has: of logs, or counted before hours were. */
function WithoutHour({ hits: { hourly_hits: hours, total_hits: total } }: { hits: HitsByHour }) {
  const left = hours ? total - hours.reduce((sum, { hits }) => sum + hits, 0) : 0;
  return left > 0 ? (
    <p class="small muted daily-left">{counted(left, 'hit')} from logs, or earlier versions, have no hour.</p>
  ) : null;
}

function Table({ unit, points, compared }: { unit: string; points: ChartPoint[]; compared: string | undefined }) {
  return (
    <details class="daily-table">
      <summary class="small muted">View as table</summary>
      <div tabIndex={0} role="region" aria-label={`Table of hits by ${unit.toLowerCase()}`}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{unit} (UTC)</th>
              <th scope="col" class="number">
                Hits
              </th>
              {compared && (
                <th scope="col" class="number">
                  {compared}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr key={point.start}>
                <td>{pointName(point)}</td>
                <td class="number">{number(point.hits)}</td>
                {compared && <td class="number">{point.before === undefined ? '–' : number(point.before)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
