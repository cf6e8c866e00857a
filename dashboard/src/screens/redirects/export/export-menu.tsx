import { useSignal } from '@preact/signals';
import { exportUrl, filteredExportUrl } from '../../../api/redirects.ts';
import { planHas } from '../../../state/session.ts';
import { Icon } from '../../../ui/icons.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { currentPlan, requiredPlan } from '../../../ui/page/plan-needed.tsx';
import { ExportDialog } from '../parts.ts';
import { type ServerFormat, SERVERS } from './server-formats.ts';
import { isFiltered, type View } from '../view.ts';
import type { ExportFormat } from '../../../api/client/wire.ts';

/** Formats with all redirects and all fields. */
const LOSSLESS = [
  ['csv', 'CSV'],
  ['json', 'JSON'],
  ['ndjson', 'NDJSON'],
] as const satisfies [ExportFormat, string][];

/** Exports the listed or all redirects as data, or one environment as a server configuration. */
export function ExportMenu({ view }: { view: View }) {
  const websiteId = view.filter.website_id;
  const server = useSignal<ServerFormat | undefined>(undefined);
  return (
    <>
      <Menu
        buttonClass="button"
        button={
          <>
            Export <Icon name="down" />
          </>
        }
      >
        {planHas('apiAccess') ? <Formats view={view} onServer={(format) => (server.value = format)} /> : <NotInPlan />}
      </Menu>
      {server.value && (
        <ExportDialog websiteId={websiteId} format={server.value} onClose={() => (server.value = undefined)} />
      )}
    </>
  );
}

function Formats({ view, onServer }: { view: View; onServer: (format: ServerFormat) => void }) {
  const websiteId = view.filter.website_id;
  return (
    <>
      {isFiltered(view) && (
        <>
          <p>Redirects that match the filters</p>
          {LOSSLESS.map(([format, name]) => (
            <a key={format} download href={filteredExportUrl(format, view.filter)}>
              {name}
              <span class="unseen"> of the matching redirects</span>
            </a>
          ))}
          <hr />
        </>
      )}
      <p>All redirects</p>
      {LOSSLESS.map(([format, name]) => (
        <a key={format} download href={exportUrl({ website_id: websiteId, format })}>
          {name}
        </a>
      ))}
      <hr />
      <p>One environment, as server configuration</p>
      {SERVERS.map(([format, name]) => (
        <button key={format} type="button" onClick={() => onServer(format)}>
          {name}…
        </button>
      ))}
    </>
  );
}

function NotInPlan() {
  return (
    <>
      <p>
        Exports require the {requiredPlan('apiAccess')} plan. This account is on the {currentPlan()} plan. Your
        administrator can change it.
      </p>
      <a href="/account">View plan</a>
    </>
  );
}
