import type { Hits } from '../../api/wire.ts';
import { Bars } from './bars.tsx';
import { CsvLink } from './csv-link.tsx';
import { countryName, type View } from './view.ts';

export function Countries({
  hits,
  websiteId,
  view,
  onMore,
}: {
  hits: Hits;
  websiteId: number;
  view: View;
  onMore: () => void;
}) {
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
      others="Other countries"
      unnamed={[{ label: 'Unknown', count: hits.unknown_country_hits }]}
      csv={<CsvLink websiteId={websiteId} view={view} table="countries" />}
      onMore={onMore}
    />
  );
}
