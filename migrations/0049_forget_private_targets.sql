-- Targets at private addresses were stored as broken, although they are not asked. Locks the deleted rows only: a scan of
-- target_states and at most one row for each redirect, 2 s for 1,000,000.
DELETE FROM "target_states" WHERE "reason" = 'address_not_allowed';
