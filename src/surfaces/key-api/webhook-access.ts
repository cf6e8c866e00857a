/**
 * What every route of webhooks says of itself. They are the owner's alone, to read too: an address may hold the receiver's own secret.
 * Reading takes any key and no plan, so that a downgrade hides nothing; what creates, changes or sends takes the plan.
 */
export const READS = { role: 'owner', scope: 'read' } as const;
export const CHANGES = { role: 'owner', feature: 'webhooks' } as const;
/** Deleting is a way out that every plan has. */
export const DELETES = { role: 'owner' } as const;
