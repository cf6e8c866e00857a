/** The cells of redirects with broken targets, alone and in groups of one target. */
import type { BrokenTarget, Website } from '../../api/client/wire.ts';
import { resultText } from '../../checks/results.ts';
import { badgeOf } from '../../checks/states.ts';
import { counted } from '../../format.ts';
import { useSubmit } from '../../state/resource/use-submit.ts';
import { mayEdit } from '../../state/session.ts';
import { ActionButton, Button } from '../../ui/button.tsx';
import { SelectBox } from '../../ui/list/selection-bar.tsx';
import type { RowSelection } from '../../ui/list/use-selection.ts';
import { Problem } from '../../ui/page/states.tsx';
import { offered } from '../../ui/suggestions.ts';
import { PathText } from '../../ui/text/path-text.tsx';
import { Time } from '../../ui/text/time.tsx';
import { redirectUrl } from '../../urls.ts';
import { type BrokenList, canCheckAgain, changeTarget, changeTargets, checkAgain } from './actions.ts';
import { hitsOf } from './broken-groups.ts';

interface Context {
  website: Website;
  list: BrokenList;
  selection: RowSelection<number>;
}

/** The redirect, the state and the target; below, why, when, and what may replace it. */
export function RowCells({ found, onChange, ...context }: Context & { found: BrokenTarget; onChange: () => void }) {
  const { old_path: from, new_path: to } = found;
  return (
    <>
      <Source {...context} found={found} />
      <StateBadge found={found} />
      <span class="row target-cell">
        <span class="mono shrink">
          <PathText path={to} />
        </span>
        <ChangeButton text="Change target…" subject={from} onChange={onChange} />
      </span>
      <Facts {...context} found={[found]} />
      <Suggestions of={found} subject={from} onUse={(target) => changeTarget(context.list, found, target)} />
    </>
  );
}

/** The target of several redirects, with what may replace it in all of them. */
export function GroupCells(props: Context & { group: readonly BrokenTarget[]; onChange: () => void }) {
  const { list, selection, group, onChange } = props;
  const [first] = group;
  if (!first) return null;
  const name = `${counted(group.length, 'redirect leads', 'redirects lead')} to`;
  return (
    <>
      <span class="row shrink">
        {mayEdit.value && (
          <SelectBox
            selection={selection}
            rows={group.map(({ redirect_id: id }) => id)}
            label={`the ${counted(group.length, 'redirect')} to ${first.new_path}`}
          />
        )}
        <span class="group-name">
          {name}{' '}
          <span class="mono strong shrink">
            <PathText path={first.new_path} />
          </span>
        </span>
      </span>
      <StateBadge found={first} />
      <ChangeButton text="Change target of all…" subject={first.new_path} onChange={onChange} />
      <Facts {...props} found={group} />
      <Suggestions
        of={first}
        subject={`all ${group.length}`}
        onUse={async (target) => void (await changeTargets(list, group, () => target))}
      />
    </>
  );
}

function ChangeButton({ text, subject, onChange }: { text: string; subject: string; onChange: () => void }) {
  if (!mayEdit.value) return null;
  return (
    <span class="actions">
      <Button size="small" onClick={onChange}>
        {text}
        <span class="unseen"> {subject}</span>
      </Button>
    </span>
  );
}

/** A redirect of a group. */
export const MemberCells = ({ found, ...context }: Context & { found: BrokenTarget }) => (
  <span class="member">
    <Source {...context} found={found} />
    <Hits of={found.hits} />
  </span>
);

/** Absent on plans without analytics. */
const Hits = ({ of: hits }: { of: number | null }) =>
  hits !== null && <span class="small muted">{counted(hits, 'hit')} in 30 days</span>;

function Source({ website, selection, found: { redirect_id: id, old_path: from } }: Context & { found: BrokenTarget }) {
  return (
    <span class="mono row shrink">
      {mayEdit.value && <SelectBox selection={selection} rows={[id]} label={from} />}
      <a data-key="Enter" class="shrink" href={redirectUrl(website.id, id)}>
        <PathText path={from} />
      </a>
    </span>
  );
}

function StateBadge({ found }: { found: BrokenTarget }) {
  const badge = badgeOf(found);
  return <span class={`badge ${badge.tone}`}>{badge.label}</span>;
}

/** Why and when, and the hits of all redirects with the target. */
function Facts({ website, list, found }: Context & { found: readonly BrokenTarget[] }) {
  const [first] = found;
  if (!first) return null;
  const { state, reason, checked_at: at } = first;
  return (
    <span class="row-facts small muted whole">
      <Hits of={hitsOf(found)} />
      <span>{resultText({ state, reason, confirmed: true })}</span>
      <span>
        Checked <Time at={at} />
      </span>
      {mayEdit.value && canCheckAgain(list, first) && (
        <ActionButton
          size="small"
          kind="quiet"
          failure="Could not check again"
          onAct={() => checkAgain(website, list, first)}
        >
          Check again<span class="unseen"> {first.new_path}</span>
        </ActionButton>
      )}
    </span>
  );
}

interface SuggestionsProps {
  of: BrokenTarget;
  /** the redirects that get the target, for screen readers */
  subject: string;
  onUse: (target: string) => Promise<void>;
}

function Suggestions({ of, subject, onUse }: SuggestionsProps) {
  const near = offered(of.suggestions);
  if (!mayEdit.value || near.length === 0) return null;
  return (
    <ul class="stack gap-1 whole">
      {near.map((each, at) => (
        <Suggestion key={each.target} of={each} subject={subject} isBest={at === 0} onUse={onUse} />
      ))}
    </ul>
  );
}

/** Sets the target in one click, as Not found does; the message offers Undo. */
function Suggestion(props: {
  of: BrokenTarget['suggestions'][number];
  subject: string;
  isBest: boolean;
  onUse: SuggestionsProps['onUse'];
}) {
  const { of, subject, isBest, onUse } = props;
  const { error, isBusy, submit } = useSubmit(() => onUse(of.target));
  return (
    <li class="row wrap gap-1">
      <Button
        kind={isBest ? 'primary' : 'plain'}
        size="small"
        title={of.reasons.join('\n')}
        isBusy={isBusy.value}
        onClick={submit}
      >
        Use{' '}
        <span class="mono shrink">
          <PathText path={of.target} />
        </span>
        <span class="unseen"> for {subject}</span>
      </Button>
      <span class="small muted">{of.reasons[0]}</span>
      {error.value && <Problem error={error.value} />}
    </li>
  );
}
