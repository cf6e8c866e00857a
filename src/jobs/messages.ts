/** Rules in messages between threads: as references to their shared memory. */
import type { GateInput } from '../deployments/gate/gate.ts';
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

/** The same with the rules that are live. */
export type SharedGateInput = Omit<Shared<GateInput>, 'live'> & { live: SharedRuleset };

export const gateToMessage = ({ live, ...input }: GateInput): SharedGateInput => ({
  ...toMessage(input),
  live: live.share(),
});

export const gateFromMessage = ({ live, ...input }: SharedGateInput): GateInput => ({
  ...fromMessage<Omit<GateInput, 'live'>>(input),
  live: openRuleset(live),
});
