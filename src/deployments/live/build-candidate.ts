/** Builds the next ruleset of an environment from rules or changes, and counts the difference. */
import type { Rule } from '../../resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../../resolver/ruleset.ts';
import { isSameWindow } from '../../resolver/window.ts';
import type { RuleChange } from './database/rules-at.ts';

/** Rules that could be published, and how they differ from the live ones. */
export interface Candidate {
  ruleset: Ruleset;
  added: number;
  changed: number;
  removed: number;
  /** keys whose response may have changed, where a new loop could run through; 'all' if a list would not be shorter */
  startKeys: string[] | 'all';
  /** the changed patterns; 'all' if every pattern may be new */
  startPatterns: string[] | 'all';
}

/** Start keys of one candidate. With more, checking all rules costs no more memory. */
const MAX_START_KEYS = 50_000;

/** Patches a fork of `live`. Its cost grows with the changes, not with the ruleset. `live` stays as it is. */
export async function applyChanges(live: Ruleset, batches: AsyncIterable<RuleChange[]>): Promise<Candidate> {
  const draft = live.fork();
  const counts = { added: 0, changed: 0, removed: 0 };
  const starts = createStartKeys();
  const waiting: Rule[] = [];
  for await (const changes of batches) {
    for (const { oldKey, rule } of changes) {
      if (rule && oldKey === rule.key && isSameRule(live.get(rule.key), rule)) continue;
      counts[oldKey === null ? 'added' : rule ? 'changed' : 'removed']++;
      if (oldKey !== null) {
        draft.remove(oldKey);
        starts.add(oldKey, rule?.isRegex ?? false);
      }
      if (!rule) continue;
      if (rule.key !== oldKey) starts.add(rule.key, rule.isRegex);
      // A later change may still free the key of another rule.
      if (draft.get(rule.key)) waiting.push(rule);
      else draft.add(rule);
    }
  }
  for (const rule of waiting) draft.add(rule);
  return { ...counts, ruleset: draft.seal(), startKeys: starts.list(), startPatterns: starts.patterns };
}

/** Builds a new ruleset. A rule whose path moved counts as added and removed. */
export async function replaceRules(live: Ruleset, batches: AsyncIterable<Rule[]>): Promise<Candidate> {
  const draft = emptyRuleset().fork();
  const counts = { added: 0, changed: 0, removed: live.size };
  for await (const rules of batches) {
    for (const rule of rules) {
      const existing = live.size > 0 ? live.get(rule.key) : undefined;
      // Another redirect with the same key is a new rule; the existing one is removed.
      if (existing?.id !== rule.id) counts.added++;
      else {
        counts.removed--;
        if (!isSameRule(existing, rule)) counts.changed++;
      }
      draft.add(rule);
    }
  }
  return { ...counts, ruleset: draft.seal(), startKeys: 'all', startPatterns: 'all' };
}

/** True if both rules have the same id and respond alike. Compares rules with the same key. */
export function isSameRule(a: Rule | undefined, b: Rule): boolean {
  const isSameRedirect = a?.newPath === b.newPath && a.statusCode === b.statusCode && a.isRegex === b.isRegex;
  return a?.id === b.id && isSameRedirect && isSameWindow(a.window, b.window);
}

/** Collects start keys. A pattern matches any number of addresses, so one pattern means all keys. */
function createStartKeys() {
  let keys: string[] | 'all' = [];
  const patterns: string[] = [];
  return {
    patterns,
    add(key: string, isRegex: boolean): void {
      if (isRegex) patterns.push(key);
      if (keys === 'all') return;
      if (isRegex || keys.length >= MAX_START_KEYS) keys = 'all';
      else keys.push(key);
    },
    list: (): string[] | 'all' => keys,
  };
}
