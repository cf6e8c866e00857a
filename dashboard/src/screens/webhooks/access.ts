import { mayAs, planHas } from '../../state/session.ts';

/** Only owners see webhooks, because their URLs may contain secrets. */
export const maySee = (): boolean => mayAs('owner');

/** Creating, changing and sending need the plan; reading and deleting do not. */
export const mayChange = (): boolean => maySee() && planHas('webhooks');
