/** Origins of visitors: countries, referrer hosts and UTM sources. */
import type { Hits } from '../../api/client/wire.ts';
import { Bars, CsvLink } from './bars.tsx';
import { countryName, type View } from './view.ts';

interface OriginProps {
  hits: Hits;
  websiteId: number;
  view: View;
  onMore: () => void;
}

export function Countries({ hits, websiteId, view, onMore }: OriginProps) {
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

/** Referrer hosts, and UTM sources if there are any. */
export function Sources({ hits, websiteId, view, onMore }: OriginProps) {
  const { total_hits: total, referrer_hits: withReferrer, utm_source_hits: withSource } = hits;
  return (
    <>
      <Bars
        title="Referrers"
        emptyText="No other website is known to have sent visitors."
        total={total}
        rows={hits.top_referrers.map(({ host, hits: count }) => ({ key: host, label: host, count }))}
        others="Other websites and apps"
        unnamed={[
          { label: 'This website', count: hits.internal_referrer_hits },
          { label: 'Direct or unknown', count: Math.max(0, total - withReferrer) },
        ]}
        csv={<CsvLink websiteId={websiteId} view={view} table="referrers" />}
        onMore={onMore}
      />
      {withSource > 0 && (
        <Bars
          title="UTM sources"
          emptyText="No valid UTM source."
          total={total}
          rows={hits.top_utm_sources.map(({ source, hits: count }) => ({ key: source, label: source, count }))}
          others="Other sources"
          unnamed={[{ label: 'Without a UTM source', count: Math.max(0, total - withSource) }]}
          csv={<CsvLink websiteId={websiteId} view={view} table="utm_sources" />}
          onMore={onMore}
        />
      )}
    </>
  );
}
