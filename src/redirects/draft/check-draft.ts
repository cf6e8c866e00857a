/**
 * What a write would say of a redirect that somebody is still writing. The rules are those of creation and change themselves; nothing is
 * locked and nothing is stored, so that it may be asked with every pause in the typing.
 */
import { and, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { redirects } from '../../db/schema.ts';
import type { Pattern } from '../../resolver/pattern.ts';
import { type Rule, ruleKey } from '../../resolver/rule.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { type Issue, DomainError } from '../../vocabulary/error.ts';
import { omitUndefined } from '../../vocabulary/omit-undefined.ts';
import { requireWebsite, type Website } from '../../websites/website.ts';
import { planChange, type RedirectChange } from '../rule/change.ts';
import { checkNewRedirect } from '../write/create.ts';
import { findRedirect, requireRedirectRow } from '../list/find.ts';
import { assertNoLoop } from '../rule/find-loop.ts';
import { refuseTooManyPatterns } from '../rule/pattern-limit.ts';
import { type ListedRedirect, type RedirectFields, redirectOf, type RedirectRow } from '../rule/redirect.ts';

/** The id of a rule that has none yet; stored ones begin at 1. */
export const NEW_RULE = 0;

export interface CheckedDraft {
  websiteId: number;
  /** the canonical form of its path, or the text of its pattern; null where old_path is neither */
  key: string | null;
  /** everything that a write would refuse, but for a path that is taken */
  issues: Issue[];
  /** the other redirect that has its path */
  takenBy: ListedRedirect | null;
  environments: Environment[];
  isRegex: boolean;
  /** the rule as it would be served; null where the fields make none, or its path is taken */
  rule: Rule | null;
  /** the rule that it takes the place of */
  before: { id: number; key: string } | null;
}

/** A redirect that is to be created. WEBSITE_NOT_FOUND where the website is not the account's. */
export async function checkNewDraft(
  db: Db,
  actor: Actor,
  websiteId: number,
  fields: RedirectFields,
): Promise<CheckedDraft> {
  const website = await requireWebsite(db, actor, websiteId);
  const { pattern, issues } = checkNewRedirect(fields, website.allowedTargetHosts);
  const planned = { fields, newPattern: pattern, mayLoopIn: fields.environments, issues };
  return checkPlanned(db, actor, website, planned, null);
}

/** A change of a redirect. REDIRECT_NOT_FOUND where it is not the account's. */
export async function checkChangedDraft(
  db: Db,
  actor: Actor,
  id: number,
  change: RedirectChange,
): Promise<CheckedDraft> {
  const row = await requireRedirectRow(db, actor, id);
  const website = await requireWebsite(db, actor, row.websiteId);
  const { newPattern, mayLoopIn, issues } = planChange(row, change, {
    rev: website.headRev,
    now: row.updatedAt,
    allowedTargetHosts: website.allowedTargetHosts,
  });
  const fields = { ...redirectOf(row), ...omitUndefined(change) };
  return checkPlanned(db, actor, website, { fields, newPattern, mayLoopIn, issues: [...issues] }, row);
}

interface Planned {
  fields: RedirectFields;
  newPattern: Pattern | null;
  mayLoopIn: Environment[];
  issues: Issue[];
}

/**
 * Costs a few look-ups in indexes whatever the size of the website. Loops are looked for as a write does, but where the website ignores
 * case only over paths that are written alike.
 */
async function checkPlanned(
  db: Db,
  actor: Actor,
  website: Website,
  { fields, newPattern, mayLoopIn, issues }: Planned,
  row: RedirectRow | null,
): Promise<CheckedDraft> {
  const { newPath, statusCode, isRegex, environments } = fields;
  const websiteId = website.id;
  const id = row?.id ?? NEW_RULE;
  const isWrong = (...paths: string[]): boolean => issues.some(({ path }) => paths.includes(path));
  const key = isWrong('old_path') ? null : ruleKey(fields.oldPath, isRegex);
  const takenBy = key === null ? null : await otherWith(db, actor, websiteId, key, id);
  const isRule = key !== null && !takenBy && !isWrong('new_path', 'status_code');
  const rule = isRule ? { id, key, isRegex, newPath, statusCode } : null;
  if (newPattern)
    issues.push(...(await collectIssues(() => refuseTooManyPatterns(db, websiteId, [newPattern]))));
  if (rule && !isRegex)
    issues.push(...(await collectIssues(() => assertNoLoop(db, website, rule, mayLoopIn, rule))));
  const before = row && { id, key: row.key };
  return { websiteId, key, issues, takenBy, environments, isRegex, rule, before };
}

async function otherWith(
  db: Db,
  actor: Actor,
  websiteId: number,
  key: string,
  ownId: number,
): Promise<ListedRedirect | null> {
  const [found] = await db
    .select({ id: redirects.id })
    .from(redirects)
    .where(and(eq(redirects.websiteId, websiteId), eq(redirects.key, key)));
  return found && found.id !== ownId ? findRedirect(db, actor, found.id) : null;
}

/** What a check refuses, as something to be told rather than thrown. */
export async function collectIssues(check: () => Promise<void> | void): Promise<Issue[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.issues.length > 0) return error.issues;
    throw error;
  }
}
