import { useSignal } from '@preact/signals';
import { cheapestPlanWith } from '../../../../src/vocabulary/plan.ts';
import { exportAddress } from '../../api/redirects.ts';
import { planHas } from '../../state/plan.ts';
import { user } from '../../state/session.ts';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { LOSSLESS, type ServerFormat, SERVERS } from './export-formats.ts';

/** All redirects of the website as a file, or those of an environment as another server's configuration. */
export function ExportMenu({ websiteId }: { websiteId: number }) {
  const asked = useSignal<ServerFormat | undefined>(undefined);
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
        {planHas('apiAccess') ? (
          <Formats websiteId={websiteId} onServer={(format) => (asked.value = format)} />
        ) : (
          <NotInPlan />
        )}
      </Menu>
      {asked.value && (
        <ExportDialog
          websiteId={websiteId}
          format={asked.value}
          onFormat={(format) => (asked.value = format)}
          onClose={() => (asked.value = undefined)}
        />
      )}
    </>
  );
}

function Formats({ websiteId, onServer }: { websiteId: number; onServer: (format: ServerFormat) => void }) {
  return (
    <>
      <p>Every redirect, nothing lost</p>
      {LOSSLESS.map(([format, name]) => (
        <a key={format} download href={exportAddress({ website_id: websiteId, format })}>
          {name}
        </a>
      ))}
      <hr />
      <p>An environment, for another server</p>
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
        Exports come with the plan {cheapestPlanWith('apiAccess')}. This account has the plan{' '}
        {user.value?.plan}; whoever runs this service can change it.
      </p>
      <a href="/account">See what is in the plan</a>
    </>
  );
}
