import './checks.css';
import { useSignal } from '@preact/signals';
import { getLiveCheck, listLiveChecks } from '../../api/live-checks.ts';
import type { ListedLiveCheck, Website } from '../../api/client/wire.ts';
import { isUnfinished, KINDS } from '../../checks/states.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { mayEdit } from '../../state/session.ts';
import { ActorName } from '../../ui/list/field-changes.tsx';
import { NewButton, ResourceList, ResourceScreen } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { EnvironmentBadge } from '../../ui/text/environment.tsx';
import { Time } from '../../ui/text/time.tsx';
import { scheduleOf, scheduleText } from '../websites/check-schedule.tsx';
import { NewCheckDialog } from './check-form.tsx';
import { Counts, Progress, StatusBadge, StopButton } from './check-parts.tsx';

/** Each row of an ended check reads its counts. */
const PAGE_SIZE = 20;
export const REFRESH_MS = 5_000;

/** The checks of a website, and the dialog of a new one. */
export function ChecksScreen({ website }: { website: Website }) {
  const isAnyUnfinished = useSignal(false);
  const pages = usePages(
    `live-checks:${website.id}`,
    (cursor, signal) => listLiveChecks(website.id, { cursor, limit: PAGE_SIZE }, signal),
    ({ checks }) => {
      isAnyUnfinished.value = checks.some(isUnfinished);
      return checks;
    },
    { everyMs: isAnyUnfinished.value ? REFRESH_MS : undefined },
  );
  const dialog = (close: () => void) => <NewCheckDialog website={website} onClose={close} />;
  const creation = mayEdit.value ? { label: 'New check', name: 'check', dialog } : undefined;
  return (
    <ResourceScreen title="Live checks" lead={<Lead website={website} />} creation={creation}>
      <ResourceList
        list={pages}
        class="check-list"
        label="Checks"
        keyOf={({ id }) => id}
        keys={[{ keys: 'Enter', label: 'Open the check' }]}
        cells={(check) => <Cells {...{ website, check }} onStopped={pages.reload} />}
        empty={
          <Empty icon="check" title="No checks yet" actions={<NewButton of={creation} />}>
            A check requests every target of the redirects and finds dead pages, loops and moved pages. It sends a host
            at most two requests a second. Settings can start one every day or week.
          </Empty>
        }
      />
    </ResourceScreen>
  );
}

/** The purpose of checks, and when one starts by itself. */
function Lead({ website: { id, check_schedule: schedule } }: { website: Website }) {
  return (
    <>
      Whether targets, redirects and pages respond over the network as they should. Automatic check of targets:{' '}
      {scheduleText(scheduleOf(schedule))}. {mayEdit.value && <a href={`/websites/${id}/settings`}>Change</a>}
    </>
  );
}

function Cells(props: { website: Website; check: ListedLiveCheck; onStopped: () => void }) {
  const { website, check, onStopped } = props;
  return (
    <>
      <div class="row-name">
        <a data-key="Enter" href={`/websites/${website.id}/checks/${check.id}`}>
          {KINDS[check.kind].label}
        </a>
        <span class="small muted break">
          <ActorName actor={check.created_by} />, <Time at={check.created_at} />
        </span>
      </div>
      <span class="row wrap gap-1">
        <StatusBadge check={check} />
        <EnvironmentBadge environment={check.environment} />
      </span>
      {isUnfinished(check) ? <Progress check={check} /> : <FoundCounts {...{ website, check }} />}
      <span class="actions">
        {isUnfinished(check) && <StopButton {...{ website, check, onStopped }} size="small" />}
      </span>
    </>
  );
}

/** The counts of an ended check, which its list does not have. */
function FoundCounts({ website, check: { id, status } }: { website: Website; check: ListedLiveCheck }) {
  const { data, error } = useResource(`live-check:${id}:${status}`, (signal) => getLiveCheck(website.id, id, signal));
  if (data.value) return <Counts check={data.value} />;
  return <span class="small muted">{error.value ? 'The counts could not be read' : ''}</span>;
}
