import { ENVIRONMENTS, type Environment } from '../../../../src/vocabulary/environment.ts';
import type { ApiError } from '../../api/api-error.ts';
import type { Deployment, Diff, Website } from '../../api/wire.ts';
import { counted } from '../../format.ts';
import { mayEdit } from '../../state/session.ts';
import { Button } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/environment.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Problem, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { compareUrl } from './compare-view.ts';
import type { DeployActions } from './deploy-actions.ts';
import { Changes, DiffLines } from './diff-lines.tsx';

interface PendingProps {
  website: Website;
  environment: Environment;
  live: Deployment | undefined;
  diff: Diff | undefined;
  error: ApiError | undefined;
  actions: DeployActions;
}

/** The live version, and the changes that a deployment would publish. */
export function Pending({ website, environment, live, diff, error, actions }: PendingProps) {
  const isHeld = website.held_environments.includes(environment);
  const count = diff ? diff.counts.added + diff.counts.changed + diff.counts.removed : 0;
  return (
    <section class="card">
      <header>
        <div>
          <h2>{live ? `Version ${live.version} is live` : 'Nothing is live yet'}</h2>
          {live?.deployed_at && (
            <p class="muted small">
              {counted(live.redirect_count ?? 0, 'redirect')}, deployed <Time at={live.deployed_at} />
            </p>
          )}
        </div>
        {mayEdit.value && (
          <div class="actions">
            {live && <PromoteMenu environment={environment} actions={actions} />}
            <Button kind={count > 0 || isHeld ? 'primary' : 'plain'} icon="deployments" onClick={actions.deploy}>
              Deploy {count > 0 ? counted(count, 'change') : 'now'}
            </Button>
          </div>
        )}
      </header>
      <div class="body">
        {isHeld && (
          <p class="held">On hold after a rollback or promotion: no automatic deployments until you click Deploy.</p>
        )}
        {error && <Problem error={error} />}
        {!diff && !error && <Skeleton lines={1} />}
        {diff && count === 0 && (
          <p class="muted">
            {live
              ? 'Nothing to deploy. All changes are live.'
              : `No redirects for ${ENVIRONMENT_LABEL[environment].toLowerCase()} yet.`}
          </p>
        )}
        {diff && count > 0 && (
          <>
            <p>
              Not live yet: <Changes {...diff.counts} />
            </p>
            <DiffLines diff={diff} allUrl={compareUrl(website.id, { environment, from: 'live', to: 'draft' })} />
          </>
        )}
      </div>
    </section>
  );
}

function PromoteMenu({ environment, actions }: { environment: Environment; actions: DeployActions }) {
  return (
    <Menu
      buttonClass="button"
      button={
        <>
          Promote <Icon name="down" />
        </>
      }
    >
      <p>Promote the live version to</p>
      {ENVIRONMENTS.filter((each) => each !== environment).map((to) => (
        <button key={to} type="button" onClick={() => actions.promoteTo(to)}>
          {ENVIRONMENT_LABEL[to]}
        </button>
      ))}
    </Menu>
  );
}
