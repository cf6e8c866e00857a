import { exportUrl, type HitTable } from '../../api/analytics.ts';
import { LinkButton } from '../../ui/button.tsx';
import type { View } from './view.ts';

/** Downloads a complete table of the period as CSV. */
export function CsvLink({ websiteId, view, table }: { websiteId: number; view: View; table: HitTable }) {
  const { environment, period, redirectId } = view;
  return (
    <LinkButton
      size="small"
      icon="import"
      label={`CSV of ${table}`}
      href={exportUrl({ website_id: websiteId, redirect_id: redirectId, table, environment, period })}
      download
    >
      CSV
    </LinkButton>
  );
}
