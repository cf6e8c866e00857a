import { applyMoveRule, fetchMoveRules, type MoveRule, type MoveRules, removeMoveRule } from '../../api/moves.ts';
import { counted } from '../../format.ts';
import { useResource } from '../../state/resource/use-resource.ts';
import { toast } from '../../state/toasts.ts';
import { ActionButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Empty, Loaded } from '../../ui/page/states.tsx';
import type { DialogProps } from './bulk-dialog.tsx';

/** Patterns that the decisions suggest, and those that the move will write. */
export function RulesPanel({ desk: { website, moveId, changed }, onClose }: DialogProps) {
  const rules = useResource(`move-rules:${moveId}`, (signal) => fetchMoveRules(website.id, moveId, signal));
  function decided(updated: number): void {
    toast(`${counted(updated, 'row')} changed`);
    rules.reload();
    changed();
  }
  const use = async (rule: MoveRule, as: 'rule' | 'rows'): Promise<void> => {
    const { pattern, target } = rule;
    decided((await applyMoveRule(website.id, moveId, { pattern, target, as })).updated);
  };
  const remove = async (pattern: string): Promise<void> =>
    decided((await removeMoveRule(website.id, moveId, pattern)).updated);
  return (
    <Dialog title="Rules" shape="side" onClose={onClose}>
      <div class="dialog-body fields">
        <Loaded of={rules} lines={8}>
          {({ rules: proposed, stored }) => (
            <>
              {stored.length > 0 && <Stored stored={stored} onRemove={remove} />}
              {proposed.length === 0 ? (
                <Empty icon="redirects" title="No rules to propose">
                  A rule needs at least ten decisions, and must lead other rows to pages that exist.
                </Empty>
              ) : (
                <ul class="move-rules" aria-label="Proposed rules">
                  {proposed.map((rule) => (
                    <Proposed key={rule.pattern} rule={rule} onUse={use} />
                  ))}
                </ul>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

function Stored({ stored, onRemove }: { stored: MoveRules['stored']; onRemove: (pattern: string) => Promise<void> }) {
  return (
    <section class="stack gap-3">
      <h3>In this move</h3>
      <ul class="move-rules" aria-label="Rules of this move">
        {stored.map(({ pattern, target }) => (
          <li key={pattern}>
            <Rule pattern={pattern} target={target} />
            <ActionButton size="small" failure="Could not remove the rule" onAct={() => onRemove(pattern)}>
              Remove <span class="unseen">{pattern}</span>
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A learnt pattern may have 1,000 characters. */
const Rule = ({ pattern, target }: { pattern: string; target: string }) => (
  <>
    <code class="break" tabIndex={0}>
      {pattern}
    </code>
    <span class="mono break">→ {target}</span>
  </>
);

function Proposed({ rule, onUse }: { rule: MoveRule; onUse: (rule: MoveRule, as: 'rule' | 'rows') => Promise<void> }) {
  const { pattern, target, covers, agrees, examples } = rule;
  return (
    <li>
      <Rule pattern={pattern} target={target} />
      <span class="small muted break">
        Decides {counted(covers, 'more row')}, and agrees with {counted(agrees, 'decision')}. Such as{' '}
        <span class="mono">{examples.join(', ')}</span>
      </span>
      <span class="actions">
        <ActionButton size="small" kind="primary" failure="Could not use the rule" onAct={() => onUse(rule, 'rule')}>
          Use as one rule <span class="unseen">{pattern}</span>
        </ActionButton>
        <ActionButton size="small" failure="Could not use the rule" onAct={() => onUse(rule, 'rows')}>
          Decide its rows <span class="unseen">{pattern}</span>
        </ActionButton>
      </span>
    </li>
  );
}
