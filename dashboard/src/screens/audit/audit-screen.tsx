import '../activity/activity.css';
import './audit.css';
import { AUDIT_ACTIONS } from '../../../../src/vocabulary/audit.ts';
import { listAudit } from '../../api/changes.ts';
import type { AuditEntry } from '../../api/client/wire.ts';
import { query, setQuery } from '../../router.ts';
import { mayAs } from '../../state/session.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { QuerySelect } from '../../ui/form/query-fields.tsx';
import { Page } from '../../ui/page/page.tsx';
import { OwnersOnly } from '../../ui/page/plan-needed.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { AuditCells } from '../activity/entries.tsx';
import { labelOf } from './audit-text.ts';
import { deviceOf } from '../../ui/text/user-text.ts';

const TEXTS = {
  title: 'Audit log',
  lead: 'Sign-ins, and changes of users, credentials, webhooks and websites, of the last 400 days.',
};
const REFRESH_MS = 15_000;
const PAGE_SIZE = 50;
const ACTIONS = AUDIT_ACTIONS.map((each) => [each, labelOf(each)] as const).toSorted(([, a], [, b]) =>
  a.localeCompare(b),
);

export function AuditScreen() {
  const more = 'Changes of redirects, deployments and imports are in Activity.';
  return mayAs('owner') ? <AuditLog /> : <OwnersOnly {...TEXTS} icon="audit" can="read the audit log" more={more} />;
}

function AuditLog() {
  const action = AUDIT_ACTIONS.find((each) => each === query.value.get('action'));
  const pages = usePages(
    `audit:${action ?? ''}`,
    (cursor, signal) => listAudit({ action, cursor, limit: PAGE_SIZE }, signal),
    ({ entries }) => entries,
    { everyMs: REFRESH_MS },
  );
  return (
    <Page
      {...TEXTS}
      actions={
        <QuerySelect label="Action" name="action" value={action ?? ''} options={[['', 'Any action'], ...ACTIONS]} />
      }
    >
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
        empty={
          action === undefined ? (
            <Empty icon="audit" title="No entries yet" />
          ) : (
            <Empty
              icon="search"
              title="No matching entries"
              actions={<Button onClick={() => setQuery({ action: undefined })}>Clear filter</Button>}
            >
              Entries are deleted after 400 days.
            </Empty>
          )
        }
      />
    </Page>
  );
}

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
