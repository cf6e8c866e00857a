import { timeOf } from '../../../db/rows.ts';
import { isOwnAddress } from '../../../resolver/follow.ts';
import { type Environment, ENVIRONMENTS } from '../../../vocabulary/environment.ts';
import type { Issue } from '../../../vocabulary/error.ts';
import { type PlanContext, planChange, planCreation } from '../../rule/change.ts';
import { checkRedirect } from '../../../rules/check-redirect.ts';
import { withoutOwnHost } from '../../../rules/own-target.ts';
import { loopIssue } from '../../rule/find-loop.ts';
import { CHECKED, DEFAULTS, type FieldName, OPTIONAL_FIELDS } from '../../rule/fields.ts';
import type { RedirectFields, RedirectRow } from '../../rule/redirect.ts';
import { environmentsOfBits, providedBit, type StagedRow } from './staged-row.ts';

type Website = PlanContext & { id: number };

/** Returns why the website has no room for a new pattern; undefined if it has. */
export type AdmitPattern = (key: string) => Issue | undefined;
/** Returns whether a host serves the website's rules in an environment. */
export type ServesRules = (host: string, environment: Environment) => boolean;

/**
 * Plans one staged entry on the redirect that its key has, or its creation if `existing` is null. Returns the redirect
 * afterwards, or why the entry is invalid. As in a single write, a rule that redirects to itself by a host of the
 * website is invalid if it is new or has changed.
 */
export function planEntry(
  existing: RedirectRow | null,
  entry: StagedRow,
  website: Website,
  admit: AdmitPattern,
  servesRules: ServesRules,
): { row: RedirectRow } | { issue: Issue } {
  // The website may have been unknown while the entry was read.
  const hosts = {
    allowedTargetHosts: website.allowedTargetHosts,
    servesRules: (host: string) => ENVIRONMENTS.some((environment) => servesRules(host, environment)),
  };
  const newPath = entry.newPath === null ? null : withoutOwnHost(entry.newPath, spelling(entry), hosts);
  const planned = { ...entry, newPath };
  const { row, newPattern, issues, mayLoopIn } = existing
    ? planUpdate(existing, planned, website)
    : planNew(planned, website);
  if (issues[0]) return { issue: issues[0] };
  if (row.key !== entry.key) return { issue: KEY_TAKEN };
  const loopsIn = mayLoopIn.find((environment) => isOwnAddress(row, (host) => servesRules(host, environment)));
  if (loopsIn) return { issue: loopIssue(loopsIn, [row.key, row.key]) };
  const excess = newPattern && admit(entry.key);
  return excess ? { issue: excess } : { row };
}

const KEY_TAKEN: Issue = {
  path: 'old_path',
  code: 'CONFLICT',
  message: 'the path belongs to another redirect of the website',
};

function planNew(entry: StagedRow, website: Website) {
  const fields = { ...DEFAULTS, ...providedFields(entry), oldPath: spelling(entry), newPath: entry.newPath };
  const planned = planCreation(fields, website);
  return { ...planned, row: { ...planned.row, id: 0 }, mayLoopIn: fields.environments };
}

function planUpdate(before: RedirectRow, entry: StagedRow, website: Website) {
  const provided = providedFields(entry);
  const isOtherKind = provided.isRegex !== undefined && provided.isRegex !== before.isRegex;
  // A literal and a pattern may share a key but differ in spelling: if the kind changes, the entry's spelling is
  // stored. A sync stores every spelling.
  const isSpelled = isOtherKind || isProvided(entry, 'oldPath');
  const oldPath = isSpelled ? spelling(entry) : undefined;
  const planned = planChange(before, { ...provided, oldPath, newPath: entry.newPath }, website);
  // Then planChange has checked the whole rule.
  if (planned.changed.some((field) => CHECKED.has(field))) return planned;
  // The website may have removed the host of the unchanged target from its list.
  const { issues } = checkRedirect(planned.row, website.allowedTargetHosts);
  return { ...planned, issues: [...planned.issues, ...issues] };
}

const isProvided = (entry: StagedRow, name: FieldName): boolean => (entry.provided & providedBit(name)) > 0;

function providedFields(entry: StagedRow): Partial<RedirectFields> {
  const values = {
    ...entry,
    environments: environmentsOfBits(entry.targets),
    activeFrom: timeOf(entry.activeFrom),
    activeUntil: timeOf(entry.activeUntil),
  };
  return Object.fromEntries(
    OPTIONAL_FIELDS.filter((name) => isProvided(entry, name)).map((name) => [name, values[name] ?? DEFAULTS[name]]),
  );
}

const spelling = (entry: StagedRow): string => entry.oldPath ?? entry.key;
