/**
 * The files in DATA_DIR/rulesets: one for the live rules of each environment, and one for all websites. Imports no
 * database code, so that a process can serve from them before it has loaded that code.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BlockFileError, openBlockFile, writeBlockFile } from '../../../platform/block-file.ts';
import { decodeRuleset, type EncodedRuleset, encodeRuleset } from '../../../resolver/encode-ruleset.ts';
import type { Ruleset } from '../../../resolver/ruleset.ts';
import type { Environment } from '../../../vocabulary/environment.ts';
import type { LiveRules } from '../live-registry.ts';
import type { HostsElsewhere, Site } from '../site-registry.ts';

/** The version in a file. */
export interface SnapshotVersion extends Omit<LiveRules, 'ruleset'> {
  /** see db/settings.ts, readDatabaseId */
  databaseId: string;
  websiteId: number;
  environment: Environment;
}

interface RulesetHead extends Omit<SnapshotVersion, 'history'> {
  kind: 'ruleset';
  history?: string;
  /** in files of earlier releases, instead of the history */
  deployedAt?: string;
  ruleset: EncodedRuleset;
}

/** A website, and its environments with a live version: those hosts cannot be served without a file of rules. */
export interface SnapshotSite {
  site: Site;
  live: Environment[];
}

interface SitesHead {
  kind: 'sites';
  databaseId: string;
  /** in files of a process with part of the websites */
  elsewhere?: HostsElsewhere[];
}

/** All websites of a process. */
export interface SnapshotSites {
  databaseId: string;
  sites: SnapshotSite[];
  elsewhere: HostsElsewhere[];
}

export const SITES_FILE = 'sites.snapshot';
const RULES_SUFFIX = '.ruleset';
/** Sites of one block, which is encoded and parsed in about a millisecond. */
const SITES_PER_BLOCK = 500;

export const rulesFile = (websiteId: number, environment: Environment): string =>
  `${websiteId}-${environment}${RULES_SUFFIX}`;

export const isRulesFile = (name: string): boolean => name.endsWith(RULES_SUFFIX);

/** Writes the live rules of an environment. False if another process is writing them. */
export function writeRulesFile(dir: string, version: SnapshotVersion, ruleset: Ruleset, now: Date): Promise<boolean> {
  const { head, blocks } = encodeRuleset(ruleset);
  const file = join(dir, rulesFile(version.websiteId, version.environment));
  const whole: RulesetHead = { kind: 'ruleset', ...version, ruleset: head };
  return writeBlockFile(file, JSON.stringify(whole), blocks, now);
}

/** Reads the version of a file, without its rules. Throws BlockFileError if the file is damaged. */
export async function readRulesVersion(file: string): Promise<SnapshotVersion> {
  const opened = await openBlockFile(file);
  await opened.close();
  return versionOf(rulesetHead(opened.head));
}

/** Reads the live rules of an environment. Throws BlockFileError if the file is damaged. */
export async function readRulesFile(file: string): Promise<{ version: SnapshotVersion; ruleset: Ruleset }> {
  const opened = await openBlockFile(file);
  try {
    const head = rulesetHead(opened.head);
    const { blocks, open } = decodeRuleset(head.ruleset);
    await opened.read(blocks);
    return { version: versionOf(head), ruleset: open() };
  } finally {
    await opened.close();
  }
}

/** Writes all websites. False if another process is writing them. */
export function writeSitesFile(
  dir: string,
  { databaseId, sites, elsewhere }: SnapshotSites,
  now: Date,
): Promise<boolean> {
  const head: SitesHead = { kind: 'sites', databaseId, ...(elsewhere.length > 0 && { elsewhere }) };
  const blocks: Buffer[] = [];
  for (let at = 0; at < sites.length; at += SITES_PER_BLOCK)
    blocks.push(Buffer.from(JSON.stringify(sites.slice(at, at + SITES_PER_BLOCK))));
  return writeBlockFile(join(dir, SITES_FILE), JSON.stringify(head), blocks, now);
}

/** Reads all websites. Throws BlockFileError if the file is damaged. */
export async function readSitesFile(dir: string): Promise<SnapshotSites> {
  const opened = await openBlockFile(join(dir, SITES_FILE));
  try {
    const head = JSON.parse(opened.head) as SitesHead;
    if (head.kind !== 'sites') throw new BlockFileError('the file has no websites');
    const blocks = opened.lengths.map((length) => Buffer.alloc(length));
    await opened.read(blocks);
    return {
      databaseId: head.databaseId,
      elsewhere: head.elsewhere ?? [],
      sites: blocks.flatMap((block) => JSON.parse(block.toString()) as SnapshotSite[]),
    };
  } finally {
    await opened.close();
  }
}

function rulesetHead(text: string): RulesetHead {
  const head = JSON.parse(text) as RulesetHead;
  if (head.kind !== 'ruleset') throw new BlockFileError('the file has no rules');
  return head;
}

function versionOf({ kind: _kind, ruleset: _ruleset, deployedAt, history, ...version }: RulesetHead): SnapshotVersion {
  return { ...version, history: history ?? historyOf(deployedAt ?? '') };
}

/** The history of a version that is known by its time, as deployments/live/database/history.ts reads it. */
function historyOf(deployedAt: string): string {
  const digest = createHash('md5').update(deployedAt).digest('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
