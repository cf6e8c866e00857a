/** Rules in messages between threads: as references to their shared memory. */
import { openRuleset, type Ruleset, type SharedRuleset } from '../resolver/ruleset.ts';

interface WithRuleset {
  ruleset: Ruleset;
}

/** A value with rules, as a message. */
export type Shared<Value extends WithRuleset> = Omit<Value, 'ruleset'> & { shared: SharedRuleset };

export function toMessage<Value extends WithRuleset>({ ruleset, ...rest }: Value): Shared<Value> {
  return { ...rest, shared: ruleset.share() };
}

export function fromMessage<Value extends WithRuleset>({ shared, ...rest }: Shared<Value>): Value {
  return { ...rest, ruleset: openRuleset(shared) } as unknown as Value;
}
