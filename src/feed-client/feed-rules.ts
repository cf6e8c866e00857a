/**
 * Keeps the rules of a feed as a ruleset: takes over whole versions, patches by differences, and verifies each result by
 * the count and the checksum of the feed. The former ruleset stays valid and unchanged.
 */
import type { Rule } from '../resolver/rule.ts';
import { emptyRuleset, type Ruleset } from '../resolver/ruleset.ts';
import { FeedFormatError, type FeedHead, type FeedLine } from './feed-lines.ts';
import type { FeedTarget } from './follow-feed.ts';
import { createKeysById, type KeysById } from './keys-by-id.ts';
import { runInSlices, type Slices } from './slices.ts';

/** The rules of one version, verified, with the options of the website. Replaced as a whole, never changed. */
export interface FeedRules {
  head: FeedHead;
  ruleset: Ruleset;
}

export interface FeedRulesOptions {
  /** what a former process stored; a difference continues from it */
  initial?: FeedRules | undefined;
  slices: Slices;
  /** Called with each new version, and with the same ruleset if only options have changed. */
  onRules: (rules: FeedRules) => void;
}

/** Bytes of removed rules that are tolerated. Below this, or below half of a ruleset, compacting does not pay. */
const MAX_WASTE_BYTES = 1_000_000;
/** Rules that are indexed in one step. */
const INDEX_BATCH = 500;

/** Creates a target for `followFeed` that keeps a ruleset. */
export function createFeedRules({ initial, slices, onRules }: FeedRulesOptions): FeedTarget {
  let current = initial;
  /** undefined: not built, or a failed patch has left it incomplete */
  let index: KeysById | undefined;

  function publish(head: FeedHead, ruleset: Ruleset): void {
    if (ruleset.size !== head.count || ruleset.checksum !== head.checksum) {
      const found = `${ruleset.size} rules with the checksum ${ruleset.checksum}`;
      throw new FeedFormatError(
        `version ${head.version} has ${head.count} rules with the checksum ${head.checksum}; the feed led to ${found}`,
      );
    }
    current = { head, ruleset };
    onRules(current);
  }

  return {
    state() {
      if (!current) return undefined;
      const { version, history, options_checksum: optionsChecksum } = current.head;
      return { version, history, optionsChecksum };
    },
    async replace(head, lines) {
      const draft = emptyRuleset().fork();
      const next = createKeysById();
      index = undefined;
      for await (const batch of lines) {
        for (const line of batch) {
          if (line.kind !== 'put') throw new FeedFormatError('a whole version contains a line of a difference');
          draft.add(line.rule);
          next.add(line.rule.id, line.rule.key);
        }
      }
      publish(head, draft.seal());
      index = next;
    },
    async patch(head, lines) {
      if (!current) throw new Error('there are no rules to patch');
      const before = current.ruleset;
      const known = index ?? (await indexOf(before, slices));
      index = undefined;
      publish(head, await compacted(await patched(before, lines, known), slices));
      index = known;
    },
  };
}

type Draft = ReturnType<Ruleset['fork']>;

async function patched(before: Ruleset, lines: AsyncIterable<FeedLine[]>, index: KeysById): Promise<Ruleset> {
  let draft: Draft | undefined;
  const waiting: Rule[] = [];
  for await (const batch of lines) {
    if (batch.length > 0) draft ??= before.fork();
    for (const line of batch) {
      if (!draft || line.kind === 'end') continue;
      const id = line.kind === 'put' ? line.rule.id : line.id;
      const oldKey = index.remove(id);
      if (oldKey === undefined && line.kind === 'delete') throw new FeedFormatError(`rule ${id} is removed twice`);
      if (oldKey !== undefined) draft.remove(oldKey);
      if (line.kind === 'delete') continue;
      index.add(id, line.rule.key);
      // A later line may still free the key of another rule.
      if (draft.get(line.rule.key)) waiting.push(line.rule);
      else draft.add(line.rule);
    }
  }
  if (!draft) return before;
  for (const rule of waiting) draft.add(rule);
  return draft.seal();
}

async function indexOf(ruleset: Ruleset, slices: Slices): Promise<KeysById> {
  const index = createKeysById();
  let count = 0;
  for (const { id, key } of ruleset.rules()) {
    index.add(id, key);
    if (++count % INDEX_BATCH === 0) await slices.next();
  }
  return index;
}

async function compacted(ruleset: Ruleset, slices: Slices): Promise<Ruleset> {
  if (ruleset.wastedBytes < MAX_WASTE_BYTES || ruleset.wastedBytes < ruleset.bytes / 2) return ruleset;
  return runInSlices(ruleset.compact(), slices);
}
