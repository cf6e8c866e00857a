import './logs.css';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listLogs } from '../../api/logs.ts';
import type { LogDay, Website } from '../../api/client/wire.ts';
import { counted, number, relativeDay } from '../../format.ts';
import { query } from '../../router.ts';
import { mayEdit, planHas } from '../../state/session.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { KeyedLines } from '../../ui/keyed-lines.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Page } from '../../ui/page/page.tsx';
import { PlanNeeded } from '../../ui/page/plan-needed.tsx';
import { Empty } from '../../ui/page/states.tsx';
import { Time } from '../../ui/text/time.tsx';
import { environmentIn } from '../../urls.ts';
import { CountFile } from './count-file.tsx';
import { logCommand, remedyText, uncountedText } from './log-text.ts';

const POLL_MS = 5_000;

/** How to send the access logs of another server, and what arrived of them. */
export function LogsScreen({ website }: { website: Website }) {
  return (
    <Page
      title="Logs"
      lead="Detour counts the access logs of another server or CDN as if it had answered their requests itself. Hits, last hits and Not found then include them; the lines are not stored."
    >
      {planHas('analytics') ? (
        <>
          {mayEdit.value && <SendLog website={website} environment={environmentIn(query.value)} />}
          <ReceivedLogs website={website} />
        </>
      ) : (
        <PlanNeeded feature="analytics" />
      )}
    </Page>
  );
}

function SendLog({ website, environment }: { website: Website; environment: Environment }) {
  return (
    <section class="card" aria-labelledby="send-log">
      <header>
        <h2 id="send-log">Send a log</h2>
      </header>
      <div class="body stack gap-3">
        <CountFile website={website} environment={environment} />
        <KeyedLines
          website={website}
          keyName="Logs of"
          scope="write"
          need="The command"
          lines={(key) => [
            {
              label: 'Sends a log, and what is added to it',
              text: logCommand(website, environment, location.origin, key),
            },
          ]}
        />
        <ul class="log-notes muted small">
          <li>
            Formats: <b>nginx</b> and <b>Apache</b> (combined, common), <b>Caddy</b>, <b>CloudFront</b>, <b>AWS ALB</b>,{' '}
            <b>Fastly</b>, <b>IIS</b> and JSON lines, also as .gz. The first lines say which one it is.
          </li>
          <li>
            <code>--host</code> is for lines that name no host, <code>--stream</code> names the server: each line of a
            stream counts once. Without <code>--follow</code>, the command sends the files and ends.
          </li>
          <li>Leave out lines that Detour answered itself: docs/logs.md has the condition for nginx and Apache.</li>
        </ul>
      </div>
    </section>
  );
}

/** The received lines of each stream by day, the latest first; waits for the first log. */
function ReceivedLogs({ website: { id } }: { website: Website }) {
  const list = useResource(`logs:${id}`, async (signal) => (await listLogs(id, signal)).logs, { everyMs: POLL_MS });
  return (
    <ResourceList
      list={list}
      title="Received logs"
      class="log-list"
      label="Received logs"
      headings={['Stream', 'Received', 'Counted', 'Not counted']}
      keyOf={({ stream, day }) => `${day} ${stream}`}
      cells={(day) => <Cells day={day} />}
      empty={
        <Empty icon="rows" title="No log yet">
          <span role="status">Waiting for the first log. A log appears here within seconds after it was sent.</span>
        </Empty>
      }
      footer={
        <p class="log-foot muted small">
          The latest 100, by day in UTC, for 90 days. Lines that were counted before are left out. Without use: methods
          other than GET, and URLs that were found, are on no list and have no redirect. Invalid: of another form, too
          old or in the future.
        </p>
      }
    />
  );
}

function Cells({ day }: { day: LogDay }) {
  const { stream, lines, counted: count, last_line_at: lastLineAt, received_at: receivedAt } = day;
  const uncounted = uncountedText(day);
  const remedy = remedyText(day);
  return (
    <>
      <span class="row-name">
        <strong class="break">{stream}</strong>
        <span class="muted small">{relativeDay(`${day.day}T12:00:00Z`)}</span>
      </span>
      <span class="stack gap-0 small">
        <Time at={receivedAt} />
        {lastLineAt !== null && (
          <span class="muted">
            Last line <Time at={lastLineAt} />
          </span>
        )}
      </span>
      <span>
        {number(count)} <span class="muted small">of {counted(lines, 'line')}</span>
      </span>
      <span class="small muted">{uncounted === '' ? 'All counted' : uncounted}</span>
      {remedy !== undefined && <p class="small warned whole">{remedy}</p>}
    </>
  );
}
