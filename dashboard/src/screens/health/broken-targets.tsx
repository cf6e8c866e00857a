import { useSignal } from '@preact/signals';
import type { Environment } from '../../../../src/vocabulary/environment.ts';
import { listBrokenTargets } from '../../api/checks.ts';
import type { BrokenTarget, Website } from '../../api/client/wire.ts';
import { fetchRedirect, updateRedirect } from '../../api/redirects.ts';
import { badgeOf, resultText } from '../../checks/states.ts';
import { usePages } from '../../state/resource/use-pages.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { mayEdit } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ResourceList } from '../../ui/list/resource-list.tsx';
import { Empty, Problem } from '../../ui/page/states.tsx';
import { PathText } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { undoAction } from '../../ui/undo-change.tsx';
import { redirectUrl } from '../../urls.ts';

const PAGE_SIZE = 50;
/** Until suggestions are computed. */
const PENDING_MS = 4_000;

interface Props {
  website: Website;
  environment: Environment;
  /** a redirect has another target, so the counts are others */
  onChanged: () => void;
}

/** Redirects whose target does not work, with other pages for them. */
export function BrokenTargets({ website, environment, onChanged }: Props) {
  const isPending = useSignal(false);
  const pages = usePages(
    `broken-targets:${website.id}:${environment}`,
    (cursor, signal) => listBrokenTargets(website.id, { environment, cursor, limit: PAGE_SIZE }, signal),
    ({ targets, pending }) => {
      isPending.value = pending;
      return targets;
    },
    { everyMs: isPending.value ? PENDING_MS : undefined },
  );
  function reload(): void {
    pages.reload();
    onChanged();
  }
  /** Rejects if the target is not valid for the redirect. */
  async function use(found: BrokenTarget, target: string): Promise<void> {
    const { redirect } = await fetchRedirect(found.redirect_id);
    if (redirect.new_path !== found.new_path) {
      toast(`${found.old_path} has another target meanwhile`);
      return reload();
    }
    const fields = { new_path: target, if_updated_at: redirect.updated_at };
    const { change_id: changeId } = await updateRedirect(redirect.id, fields);
    pages.data.value = pages.data.value?.filter((each) => each !== found);
    onChanged();
    toast(`${found.old_path} redirects to ${target}`, undoAction(changeId, { onUndone: reload }));
  }
  return (
    <>
      {isPending.value && <p class="small muted">Suggestions are being computed.</p>}
      <ResourceList
        list={pages}
        class="broken-targets"
        label="Broken targets"
        keys={[{ keys: 'Enter', label: 'Open the redirect' }]}
        keyOf={({ redirect_id: id }) => id}
        cells={(found) => <Cells website={website} found={found} onUse={(target) => use(found, target)} />}
        empty={
          <Empty icon="check" title="No broken targets" actions={<ChecksLink website={website} />}>
            Only a live check finds broken targets: run one of the kind Targets, or let Settings start one every day or
            week.
          </Empty>
        }
      />
    </>
  );
}

export const ChecksLink = ({ website }: { website: Website }) => (
  <LinkButton href={`/websites/${website.id}/checks`}>Go to live checks</LinkButton>
);

interface CellsProps {
  website: Website;
  found: BrokenTarget;
  onUse: (target: string) => Promise<void>;
}

/** The redirect, the state and the target; below, why, when, and what may replace it. */
function Cells({ website, found, onUse }: CellsProps) {
  const { redirect_id: id, old_path: from, new_path: to, state, reason, checked_at: at, suggestions } = found;
  const badge = badgeOf({ state, reason });
  return (
    <>
      <span class="mono">
        <a data-key="Enter" href={redirectUrl(website.id, id)}>
          <PathText path={from} />
        </a>
      </span>
      <span class={`badge ${badge.tone}`}>{badge.label}</span>
      <span class="mono shrink">
        <PathText path={to} />
      </span>
      <span class="row-facts small muted whole">
        <span>{resultText({ state, reason, confirmed: true })}</span>
        <span>
          Checked <Time at={at} />
        </span>
      </span>
      {mayEdit.value && suggestions.length > 0 && (
        <ul class="stack gap-1 whole">
          {suggestions.map((each, at) => (
            <Suggestion key={each.target} of={each} from={from} isBest={at === 0} onUse={onUse} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Sets the target in one click, as Not found does; the message offers Undo. */
function Suggestion(props: {
  of: BrokenTarget['suggestions'][number];
  from: string;
  isBest: boolean;
  onUse: CellsProps['onUse'];
}) {
  const { of, from, isBest, onUse } = props;
  const { error, isBusy, submit } = useSubmit(() => onUse(of.target));
  return (
    <li class="row wrap gap-1">
      <Button
        kind={isBest ? 'primary' : 'plain'}
        size="small"
        title={of.reasons.join('\n')}
        disabled={isBusy.value}
        onClick={submit}
      >
        Use{' '}
        <span class="mono shrink">
          <PathText path={of.target} />
        </span>
        <span class="unseen"> for {from}</span>
      </Button>
      <span class="small muted">{of.reasons[0]}</span>
      {error.value && <Problem error={error.value} />}
    </li>
  );
}
