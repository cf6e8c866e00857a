import { useSignal } from '@preact/signals';
import { ENVIRONMENTS, type Environment } from '../../../../src/vocabulary/environment.ts';
import type { ApiError } from '../../api/client/api-error.ts';
import type { Deployment, Diff, Website } from '../../api/client/wire.ts';
import { capitalized, counted, number } from '../../format.ts';
import { go } from '../../router.ts';
import { useKeys } from '../../state/keys.ts';
import { mayEdit } from '../../state/session.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ENVIRONMENT_LABEL } from '../../ui/text/environment.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Problem } from '../../ui/page/states.tsx';
import { versionName } from '../../ui/text/version-name.ts';
import { Time } from '../../ui/text/time.tsx';
import { reviewUrl } from '../../urls.ts';
import { DiscardAll, discardOne } from './discard.tsx';
import { Changes, DiffList, entriesOf, totalOf } from './diff-lines.tsx';

/** Lines of each kind; the review has all. */
const MAX_LINES = 100;

interface PendingProps {
  website: Website;
  environment: Environment;
  live: Deployment | undefined;
  /** undefined only with an error */
  diff: Diff | undefined;
  error: ApiError | undefined;
}

/** The live version, and the changes that a deployment would publish. */
export function Pending({ website, environment, live, diff, error }: PendingProps) {
  const isHeld = website.held_environments.includes(environment);
  const count = diff ? totalOf(diff.counts) : 0;
  const promoted = diff?.live_only ?? 0;
  // After a rollback the next deployment publishes what was just taken back.
  const isUsual = count > promoted && live?.kind !== 'rollback';
  const review = reviewUrl(website.id, environment, { action: 'deploy' });
  useKeys(mayEdit.value ? [{ keys: 'd', label: 'Review and deploy', run: () => go(review) }] : []);
  return (
    <section class="card">
      <header>
        <div>
          <h2>{live ? `${capitalized(versionName(live))} is live` : 'Nothing is live yet'}</h2>
          {live?.deployed_at && (
            <p class="muted small">
              {counted(live.redirect_count ?? 0, 'redirect')}, deployed <Time at={live.deployed_at} />
            </p>
          )}
        </div>
        {mayEdit.value && (
          <div class="actions">
            {live && <PromoteMenu websiteId={website.id} environment={environment} />}
            <LinkButton kind={isUsual ? 'primary' : 'plain'} icon="deployments" href={review}>
              Deploy {count > 0 ? counted(count, 'change') : 'now'}
            </LinkButton>
          </div>
        )}
      </header>
      <div class="body">
        {isHeld && website.auto_deploy && (
          <p class="held">On hold after a rollback or promotion: no automatic deployments until you click Deploy.</p>
        )}
        {promoted > 0 && <Promoted count={promoted} environment={environment} />}
        {error && <Problem error={error} />}
        {diff && count === 0 && (
          <p class="muted">
            {live ? 'Nothing to deploy. All changes are live.' : `No redirects for ${environment} yet.`}
          </p>
        )}
        {diff && count > 0 && (
          <Waiting
            place={{ websiteId: website.id, environment }}
            diff={diff}
            review={review}
            // The rules of a promotion have no state in this environment to return to.
            mayDiscard={mayEdit.value && live !== undefined && promoted === 0}
          />
        )}
      </div>
    </section>
  );
}

interface WaitingProps {
  place: { websiteId: number; environment: Environment };
  diff: Diff;
  /** address */
  review: string;
  mayDiscard: boolean;
}

/** The changes that wait, each of which can be taken back. */
function Waiting({ place, diff, review, mayDiscard }: WaitingProps) {
  const isDiscarding = useSignal(false);
  const entries = entriesOf(diff, MAX_LINES);
  const count = totalOf(diff.counts);
  return (
    <>
      <p>
        Not live yet: <Changes {...diff.counts} />
      </p>
      <DiffList
        label="Changes to deploy"
        entries={entries}
        onDiscard={mayDiscard ? (id) => void discardOne(place, id) : undefined}
      />
      <p class="row wrap muted small">
        {count > entries.length && `and ${number(count - entries.length)} more. `}
        <a href={review}>Review all changes</a>
        {mayDiscard && (
          <Button size="small" kind="quiet" icon="undo" onClick={() => (isDiscarding.value = true)}>
            Discard all
          </Button>
        )}
      </p>
      {isDiscarding.value && <DiscardAll {...place} onClose={() => (isDiscarding.value = false)} />}
    </>
  );
}

/** Explains that Deploy takes back a promotion. */
function Promoted({ count, environment }: { count: number; environment: Environment }) {
  const [verb, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
  return (
    <p class="held">
      {counted(count, 'redirect')} {verb} live only by a promotion, and Deploy removes {them}. To keep {them}, promote
      again: that adds {environment} to the redirects.
    </p>
  );
}

function PromoteMenu({ websiteId, environment }: { websiteId: number; environment: Environment }) {
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
        <a key={to} href={reviewUrl(websiteId, to, { action: 'promote', source: environment })}>
          {ENVIRONMENT_LABEL[to]}
        </a>
      ))}
    </Menu>
  );
}
