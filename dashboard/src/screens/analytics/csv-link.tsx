import { exportUrl, type HitTable } from '../../api/analytics.ts';
import { LinkButton } from '../../ui/button.tsx';
import type { View } from './view.ts';

const NAMES: Record<HitTable, string> = {
  days: 'days',
  redirects: 'redirects',
  groups: 'groups',
  countries: 'countries',
  referrers: 'referrers',
  utm_sources: 'UTM sources',
};

/** Downloads a complete table of the period as CSV. */
export function CsvLink({ websiteId, view, table }: { websiteId: number; view: View; table: HitTable }) {
  const { environment, period, redirectId } = view;
  return (
    <LinkButton
      size="small"
      icon="import"
      label={`CSV of ${NAMES[table]}`}
      href={exportUrl({ website_id: websiteId, redirect_id: redirectId, table, environment, period })}
      download
    >
      CSV
    </LinkButton>
  );
}
