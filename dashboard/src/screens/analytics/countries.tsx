import type { Hits } from '../../api/wire.ts';
import { Bars } from './bars.tsx';
import { countryName } from './view.ts';

export function Countries({ hits }: { hits: Hits }) {
  const known = hits.country_hits.reduce((sum, { hits: count }) => sum + count, 0);
  return (
    <Bars
      title="Countries"
      emptyText="No country is known for these visitors."
      total={hits.total_hits}
      rows={hits.country_hits.map(({ country, hits: count }) => ({
        key: country,
        label: countryName(country),
        count,
      }))}
      rest={hits.total_hits - known}
      restName={hits.country_hits.length < 10 ? 'Unknown' : 'Other or unknown'}
    />
  );
}
