import '../activity/activity.css';
import './audit.css';
import { AUDIT_ACTIONS } from '../../../../src/vocabulary/audit.ts';
import { listAudit } from '../../api/changes.ts';
import { dayOf } from '../../format.ts';
import { query, setQuery } from '../../router.ts';
import { mayAs } from '../../state/session.ts';
import { usePages } from '../../state/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Problem, Skeleton } from '../../ui/states.tsx';
import { useRows } from '../../ui/use-rows.ts';
import { AuditRow } from './audit-row.tsx';
import { AUDIT_LABELS } from './audit-text.ts';

const LEAD = 'Sign-ins, and changes of users, credentials, webhooks and websites, of the last 400 days.';
const REFRESH_MS = 15_000;
const PAGE_SIZE = 50;
const ACTIONS = AUDIT_ACTIONS.map((each) => [each, AUDIT_LABELS[each]] as const).toSorted(([, a], [, b]) =>
  a.localeCompare(b),
);

/** The audit log of the account; only owners read it. */
export function AuditScreen() {
  return mayAs('owner') ? <AuditLog /> : <OwnersOnly />;
}

function OwnersOnly() {
  return (
    <Page title="Audit log" lead={LEAD}>
      <Empty icon="audit" title="Only owners can read the audit log">
        Changes of redirects, deployments and imports are in Activity.
      </Empty>
    </Page>
  );
}

function AuditLog() {
  const action = AUDIT_ACTIONS.find((each) => each === query.value.get('action'));
  const pages = usePages(
    `audit:${action ?? ''}`,
    async (cursor, signal) => {
      const { entries, next_cursor: next } = await listAudit({ action, cursor, limit: PAGE_SIZE }, signal);
      return { rows: entries, next };
    },
    { everyMs: REFRESH_MS },
  );
  const rows = pages.rows.value;
  const list = useRows([]);
  const error = pages.error.value;
  return (
    <Page
      title="Audit log"
      lead={LEAD}
      actions={
        <Select
          aria-label="Action"
          value={action ?? ''}
          options={[['', 'Any action'], ...ACTIONS]}
          onChoose={(chosen) => setQuery({ action: chosen })}
        />
      }
    >
      {error && <Problem error={error} onRetry={pages.reload} />}
      {!rows && !error && <Skeleton lines={10} height={22} />}
      {rows?.length === 0 && <NoEntries isFiltered={action !== undefined} />}
      {rows && rows.length > 0 && (
        <div class="activity" {...list}>
          {[...Map.groupBy(rows, ({ created_at: at }) => dayOf(at))].map(([day, entries]) => (
            <section key={day} class="activity-day">
              <h2>{day}</h2>
              <ol class="card row-list activity-list audit-list">
                {entries.map((entry) => (
                  <AuditRow key={entry.id} entry={entry} />
                ))}
              </ol>
            </section>
          ))}
          <LoadMore pages={pages} />
        </div>
      )}
    </Page>
  );
}

function NoEntries({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) return <Empty icon="audit" title="No entries yet" />;
  return (
    <Empty
      icon="search"
      title="No matching entries"
      actions={<Button onClick={() => setQuery({ action: undefined })}>Clear filter</Button>}
    >
      Entries are deleted after 400 days.
    </Empty>
  );
}
