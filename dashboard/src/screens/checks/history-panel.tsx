import { listPastResults } from '../../api/live-checks.ts';
import type { PastResult, Website } from '../../api/client/wire.ts';
import { resultText } from '../../checks/results.ts';
import { badgeOf, KINDS } from '../../checks/states.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { Time } from '../../ui/text/time.tsx';

const PAGE_SIZE = 50;

/** The results of a URL in the checks of 90 days. */
export function HistoryPanel({ website, url, onClose }: { website: Website; url: string; onClose: () => void }) {
  const pages = usePages(
    `past-results:${website.id}:${url}`,
    (cursor, signal) => listPastResults(website.id, { url, cursor, limit: PAGE_SIZE }, signal),
    ({ history }) => history,
  );
  return (
    <Dialog title="History" shape="side" onClose={onClose}>
      <div class="dialog-body fields">
        <CopyField label="URL" text={url} isFocused={false} />
        <ResourceList
          list={pages}
          class="check-history"
          label="History"
          keyOf={({ check_id: id }) => id}
          keys={[{ keys: 'Enter', label: 'Open the check' }]}
          cells={(past) => <Cells website={website} past={past} />}
          empty={
            <Empty icon="check" title="No results yet">
              A check of the last 90 days has to ask this URL first.
            </Empty>
          }
        />
      </div>
      <footer>
        <Button kind="quiet" onClick={onClose}>
          Close
        </Button>
      </footer>
    </Dialog>
  );
}

function Cells({ website, past }: { website: Website; past: PastResult }) {
  const { check_id: id, kind, environment, status, end_url: end, checked_at: at } = past;
  const why = resultText(past);
  const badge = badgeOf(past);
  return (
    <>
      <a data-key="Enter" href={`/websites/${website.id}/checks/${id}`}>
        <Time at={at} />
      </a>
      <span class={`badge ${badge.tone}`}>{badge.label}</span>
      <span class="row-facts small muted whole break">
        <span>
          {KINDS[kind].label}, {ENVIRONMENT_LABEL[environment].toLowerCase()}
        </span>
        {status !== null && <span>Status {status}</span>}
        {why !== '' && <span>{why}</span>}
        {end !== null && <span class="whole mono">→&nbsp;{end}</span>}
      </span>
    </>
  );
}
