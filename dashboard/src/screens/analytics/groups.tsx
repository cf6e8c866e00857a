import { fetchGroupHits } from '../../api/analytics.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { Problem } from '../../ui/page/states.tsx';
import { Bars, CsvLink } from './bars.tsx';
import { useRowLimit, type View } from './view.ts';

/** Hits by group; nothing if no group has hits. A group opens the list of its redirects. */
export function Groups({ websiteId, view, total }: { websiteId: number; view: View; total: number }) {
  const { environment, period } = view;
  const rows = useRowLimit();
  const found = useResource(`group-hits:${websiteId}:${environment}:${period}`, (signal) =>
    fetchGroupHits(websiteId, { environment, period, limit: rows.limit() }, signal),
  );
  const { data, error, reload } = found;
  if (error.value) return <Problem error={error.value} onRetry={reload} />;
  const groups = data.value?.groups ?? [];
  if (!data.value || groups.length === 0) return null;
  return (
    <Bars
      title="Groups"
      emptyText=""
      total={Math.max(total, data.value.grouped_hits)}
      rows={groups.map(({ group_id, hits }) => ({
        key: group_id,
        label: group_id,
        count: hits,
        href: `/websites/${websiteId}/redirects?${new URLSearchParams({ group: group_id }).toString()}`,
      }))}
      others="Other groups"
      unnamed={[{ label: 'No group', count: Math.max(0, total - data.value.grouped_hits) }]}
      csv={<CsvLink websiteId={websiteId} view={view} table="groups" />}
      onMore={() => rows.extend(reload)}
    />
  );
}
