/** Streams a live version, or its difference from an earlier one, as the lines of a feed (docs/feed.md). */
import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { type Db, inSnapshot } from '../../db/connection/client.ts';
import { copyChunks, copyRows } from '../../db/copy/copy-rows.ts';
import { differenceSql, type RulesPointer, rulesSql } from '../../deployments/live/database/rules-sql.ts';
import { noRules, requireVersion } from '../../deployments/publish/versions/version-choice.ts';
import type { FeedHead } from '../../feed-client/feed-lines.ts';
import type { Actor } from '../../vocabulary/actor.ts';
import type { Environment } from '../../vocabulary/environment.ts';
import { requireWebsite } from '../../websites/website.ts';
import { createRuleLines, ruleColumns, ruleLine } from './rule-lines.ts';

export interface FeedInput {
  websiteId: number;
  environment: Environment;
  /** of the live version */
  head: FeedHead;
  /** the version of the follower, for a difference; undefined for the whole version */
  since: number | undefined;
  /** the history of that version; undefined if the follower does not send it */
  history: string | undefined;
}

/** The text of a rule is about twice as long. */
const CHUNK_BYTES = 128 * 1024;

/**
 * Yields the lines of a feed in chunks, in ascending order of id, from one snapshot. Throws WEBSITE_NOT_FOUND, and
 * VERSION_EXPIRED for a version `since` that is not retained or of another history, before the first chunk. The cost of a difference
 * grows with the difference, unless a promotion is between the two versions: then the database compares all rules.
 */
export async function* streamFeed(streams: Db, actor: Actor, input: FeedInput): AsyncGenerator<string | Buffer> {
  const { websiteId, environment, head, since, history } = input;
  yield* inSnapshot(streams, async function* (snapshot, client) {
    await requireWebsite(snapshot, actor, websiteId);
    const pointerOf = async (version: number, ofHistory: string | undefined): Promise<RulesPointer> =>
      version === 0
        ? noRules(environment)
        : requireVersion(snapshot, websiteId, environment, { version, history: ofHistory });
    const to = await pointerOf(head.version, head.history);
    const from = since === undefined ? undefined : await pointerOf(since, history);
    yield `${JSON.stringify(head)}\n`;
    const lines = from ? differenceLines(client, websiteId, from, to) : wholeLines(client, websiteId, to);
    for await (const text of lines) {
      yield text;
      // A fast socket delivers megabytes without a pause: yield to the event loop.
      await setImmediate();
    }
    yield '{"end":true}\n';
  });
}

async function* wholeLines(client: PoolClient, websiteId: number, at: RulesPointer): AsyncGenerator<string | Buffer> {
  const text = `select ${ruleColumns('r')} from (${rulesSql(websiteId, at)}) r order by r.id`;
  const linesOf = createRuleLines();
  for await (const rows of copyChunks(client, text, CHUNK_BYTES)) yield linesOf(rows);
}

/** A rule that was edited and edited back is in both versions alike, and has no line. */
async function* differenceLines(client: PoolClient, websiteId: number, before: RulesPointer, to: RulesPointer) {
  // From nothing, every rule of any environment is new.
  const from = before.rulesRev === 0 ? { ...to, rulesRev: 0, rulesMaxId: 0 } : before;
  const fields = (rule: 'a' | 'b'): string =>
    ['old_path', 'is_regex', 'new_path', 'status_code', 'active_from', 'active_until']
      .map((field) => `${rule}.${field}`)
      .join(', ');
  const text = `${differenceSql(websiteId, from, to)}
    select coalesce(a.id, b.id), a.id is null, ${ruleColumns('a')} from b full join a on b.id = a.id
    where (${fields('a')}) is distinct from (${fields('b')}) order by 1`;
  for await (const rows of copyRows(client, text))
    yield rows
      .map(([id, isGone, ...rule]) => (isGone === 't' ? `{"delete":"${id}"}\n` : `{"put":${ruleLine(rule)}}\n`))
      .join('');
}
