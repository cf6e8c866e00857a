import '../activity/activity.css';
import './audit.css';
import { auditExport, listAudit } from '../../api/changes.ts';
import type { AuditEntry } from '../../api/client/wire.ts';
import { query } from '../../router.ts';
import { mayAs } from '../../state/session.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { peopleIn } from '../../ui/form/text-filter.tsx';
import { Page } from '../../ui/page/page.tsx';
import { OwnersOnly } from '../../ui/page/plan-needed.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { AuditCells } from '../activity/entries.tsx';
import { AuditFilters, auditFilterIn, clearFilters, isFiltered } from './audit-filters.tsx';
import { deviceOf } from '../../ui/text/user-text.ts';

const TEXTS = {
  title: 'Audit log',
  lead: 'Sign-ins, and changes of users, credentials, webhooks and websites, of the last 400 days.',
};
const REFRESH_MS = 15_000;
const PAGE_SIZE = 50;

export function AuditScreen() {
  const more = 'Changes of redirects, deployments and imports are in Activity.';
  return mayAs('owner') ? <AuditLog /> : <OwnersOnly {...TEXTS} icon="audit" can="read the audit log" more={more} />;
}

function AuditLog() {
  const filter = auditFilterIn(query.value);
  const pages = usePages(
    JSON.stringify(['audit', filter]),
    (cursor, signal) => listAudit({ ...filter, cursor, limit: PAGE_SIZE }, signal),
    ({ entries }) => entries,
    { everyMs: REFRESH_MS },
  );
  const exported = { label: isFiltered(filter) ? 'Export these entries' : 'Export', href: auditExport(filter) };
  return (
    <Page {...TEXTS} more={[{ ...exported, icon: 'file', download: true }]}>
      <AuditFilters people={peopleIn(pages.data.value)} />
      <ResourceList
        list={pages}
        class="activity-list audit-list"
        dayOfRow={({ created_at: at }) => at}
        keyOf={({ id }) => id}
        cells={(entry) => (
          <>
            <AuditCells at={entry.created_at} entry={entry} />
            <Origin entry={entry} />
          </>
        )}
        empty={isFiltered(filter) ? <NoMatch /> : <Empty icon="audit" title="No entries yet" />}
      />
    </Page>
  );
}

const NoMatch = () => (
  <Empty icon="search" title="No matching entries" actions={<Button onClick={clearFilters}>Clear filters</Button>}>
    Entries are deleted after 400 days. Enter the whole name of a person or API key.
  </Empty>
);

/** The client's address and device. Entries of the admin command have none. */
function Origin({ entry: { actor, address, user_agent: userAgent } }: { entry: AuditEntry }) {
  if (address === null)
    return <code class="small muted audit-origin">{actor.type === 'system' && 'npm run admin'}</code>;
  return (
    <span class="small muted audit-origin">
      <span title={userAgent ?? undefined}>{deviceOf(userAgent)}</span>
      <span class="mono break">{address}</span>
    </span>
  );
}
