/**
 * The disk copy of what an agent serves: one file for each website and environment, with its options and its rules. Every
 * byte is covered by a checksum, and a file is replaced atomically.
 */
import { join } from 'node:path';
import { type FeedHead, parseHead } from '../feed-client/feed-lines.ts';
import type { FeedRules } from '../feed-client/feed-rules.ts';
import { BlockFileError, openBlockFile, writeBlockFile } from '../platform/block-file.ts';
import { decodeRuleset, type EncodedRuleset, encodeRuleset } from '../resolver/encode-ruleset.ts';
import type { Environment } from '../vocabulary/environment.ts';

/** The origin of a copy. The same website of another service has other rules. */
export interface CopySource {
  /** the URL of the service */
  url: string;
  websiteId: number;
  environment: Environment;
}

interface CopyHead extends CopySource {
  kind: 'edge-agent';
  feed: FeedHead;
  ruleset: EncodedRuleset;
}

export const copyFile = (dir: string, { websiteId, environment }: CopySource): string =>
  join(dir, `${websiteId}-${environment}.rules`);

/** Replaces the copy. False if a draft that a killed process left is in the way, which the next call removes. */
export function writeCopy(dir: string, source: CopySource, { head, ruleset }: FeedRules, now: Date): Promise<boolean> {
  const encoded = encodeRuleset(ruleset);
  const { url, websiteId, environment } = source;
  const whole: CopyHead = {
    kind: 'edge-agent',
    url,
    websiteId,
    environment,
    feed: head,
    ruleset: encoded.head,
  };
  return writeBlockFile(copyFile(dir, source), JSON.stringify(whole), encoded.blocks, now);
}

/** Reads the copy. Throws BlockFileError if it is damaged or comes from elsewhere, or the error of the system. */
export async function readCopy(dir: string, source: CopySource): Promise<FeedRules> {
  const opened = await openBlockFile(copyFile(dir, source));
  try {
    const stored = JSON.parse(opened.head) as CopyHead;
    if (stored.kind !== 'edge-agent') throw new BlockFileError('this is not a copy of an agent');
    if (stored.url !== source.url) throw new BlockFileError(`it is a copy of ${stored.url}`);
    if (stored.websiteId !== source.websiteId || stored.environment !== source.environment)
      throw new BlockFileError('its name is not that of its website');
    const head = parseHead(JSON.stringify(stored.feed));
    const { blocks, open } = decodeRuleset(stored.ruleset);
    await opened.read(blocks);
    return { head, ruleset: open() };
  } finally {
    await opened.close();
  }
}
