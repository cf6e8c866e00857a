-- The owner who invites, and the key that replaces a rolled one. Locks api_keys and invitations in ACCESS EXCLUSIVE mode for
-- milliseconds: a column without a default rewrites no row.
ALTER TABLE "api_keys" ADD COLUMN "replaced_by" text;--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "invited_by" text;