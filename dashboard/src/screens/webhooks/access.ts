import { mayAs } from '../../state/session.ts';
import { planHas } from '../../state/plan.ts';

/** Webhooks are the owner's alone, to read too: an address may hold the receiver's own secret. */
export const maySee = (): boolean => mayAs('owner');

/** What creates, changes or sends takes the plan; reading and deleting does not. */
export const mayChange = (): boolean => maySee() && planHas('webhooks');
