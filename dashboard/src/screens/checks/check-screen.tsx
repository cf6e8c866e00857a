import './checks.css';
import '../webhooks/webhooks.css';
import { useSignal } from '@preact/signals';
import { getLiveCheck } from '../../api/live-checks.ts';
import type { LiveCheck, Website } from '../../api/client/wire.ts';
import { isUnfinished, KINDS } from '../../checks/states.ts';
import { counted, fullTime } from '../../format.ts';
import type { Params } from '../../router.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { ActorName } from '../../ui/list/field-changes.tsx';
import { Page } from '../../ui/page/page.tsx';
import { Loaded, Notice } from '../../ui/page/states.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { Time } from '../../ui/text/time.tsx';
import { FactList } from '../webhooks/facts.tsx';
import { Progress, StatusBadge, StopButton } from './check-parts.tsx';
import { REFRESH_MS } from './checks-screen.tsx';
import { Results } from './results.tsx';

/** A check with its results. */
export function CheckScreen({ website, params }: { website: Website; params: Params }) {
  const id = params['checkId'] ?? '';
  return <OneCheck key={id} website={website} id={id} />;
}

function OneCheck({ website, id }: { website: Website; id: string }) {
  const isRunning = useSignal(false);
  const found = useResource(
    `live-check:${id}`,
    async (signal) => {
      const check = await getLiveCheck(website.id, id, signal);
      isRunning.value = isUnfinished(check);
      return check;
    },
    { everyMs: isRunning.value ? REFRESH_MS : undefined },
  );
  const check = found.data.value;
  const all = <a href={`/websites/${website.id}/checks`}>All live checks</a>;
  return (
    <Page
      title={check ? `${KINDS[check.kind].label} in ${ENVIRONMENT_LABEL[check.environment].toLowerCase()}` : 'Check'}
      lead={all}
      actions={check && isUnfinished(check) && <StopButton {...{ website, check }} onStopped={found.reload} />}
    >
      <Loaded of={found} lines={8} height={22}>
        {(loaded) => (
          <>
            <Facts check={loaded} />
            <Results website={website} check={loaded} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ check }: { check: LiveCheck }) {
  const { progress, unconfirmed, base_url: base, rate, created_by: by, created_at: at, ended_at: end } = check;
  return (
    <>
      {check.error !== null && <Notice>{check.error}</Notice>}
      <FactList
        facts={[
          ['Status', <StatusBadge check={check} />],
          isUnfinished(check) ? ['Progress', <Progress check={check} />] : ['Ended', end === null ? '' : fullTime(end)],
          [
            'Started by',
            <>
              <ActorName actor={by} />, <Time at={at} />
            </>,
          ],
          [
            'Own addresses',
            base === null ? (
              'Not requested'
            ) : (
              <>
                <span class="break">{base}</span>
                <div class="small muted">{counted(rate, 'request')} a second</div>
              </>
            ),
          ],
        ]}
      />
      {progress.skipped + unconfirmed > 0 && (
        <p class="small muted">
          {unconfirmed > 0 &&
            `${counted(unconfirmed, 'error is', 'errors are')} tried again within an hour, and only then confirmed. `}
          {progress.skipped > 0 &&
            `${counted(progress.skipped, 'redirect has', 'redirects have')} no target to request, such as a pattern with groups.`}
        </p>
      )}
    </>
  );
}
