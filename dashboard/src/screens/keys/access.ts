import { planHas } from '../../state/plan.ts';
import { mayAs } from '../../state/session.ts';

/** Keys are the owner's alone. */
export const maySee = (): boolean => mayAs('owner');

/** The service would make a key on any plan; it is offered where programs can use it. */
export const mayCreate = (): boolean => maySee() && planHas('apiAccess');
