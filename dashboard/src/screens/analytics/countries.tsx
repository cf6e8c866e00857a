import type { Hits } from '../../api/wire.ts';
import { Bars } from './bars.tsx';
import { countryName } from './view.ts';

/** Where the hits came from, as far as is known. */
export function Countries({ hits }: { hits: Hits }) {
  const known = hits.country_hits.reduce((sum, { hits: count }) => sum + count, 0);
  return (
    <Bars
      title="Countries"
      none="The country of none of the visitors is known."
      total={hits.total_hits}
      rows={hits.country_hits.map(({ country, hits: count }) => ({
        key: country,
        label: countryName(country),
        count,
      }))}
      rest={hits.total_hits - known}
      restName={hits.country_hits.length < 10 ? 'Not known' : 'Others, or not known'}
    />
  );
}
