/** Real site moves for the bench of the suggestions: lists of old pages with the targets that editors chose. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import type { Page } from '../src/suggestions/page-words.ts';
import { pathOf } from '../src/suggestions/spelling.ts';

/** Name of each list, and of the list of its candidates. */
const LISTS = { mdn: 'mdn', 'windows-driver': 'windows-driver', 'govuk-dfid': 'govuk', 'govuk-treasury': 'govuk' };
const REMOVED_ROWS = 1_000;

const rowSchema = z.object({
  url: z.string(),
  title: z.string().nullable().default(null),
  headline: z.string().nullable().default(null),
  description: z.string().nullable().default(null),
  target: z.string().default(''),
});

/** An old page; its target is empty if editors let it go. */
export type OldPage = z.infer<typeof rowSchema>;

export interface MoveList {
  name: string;
  old: OldPage[];
  living: Page[];
}

/** Reads the lists; throws with the way out if the folder lacks them. */
export function readMoves(folder: string): MoveList[] {
  return Object.entries(LISTS).map(([name, living]) => ({
    name,
    old: readRows(join(folder, `${name}-old.csv.gz`)),
    living: readRows(join(folder, `${living}-living.csv.gz`)).map(({ target: _, ...page }) => page),
  }));
}

function readRows(file: string): OldPage[] {
  if (!existsSync(file))
    throw new Error(`${file} does not exist: set MOVES_DATA to the folder with the lists of moves`);
  return z.array(rowSchema).parse(parse(gunzipSync(readFileSync(file)), { columns: true }));
}

/** Weights and thresholds are fitted on one half of the rows and reported on the other. */
export const isFitted = (url: string): boolean => hashOf(url) % 2 === 0;

/** Targets are equal without fragment and final slash. */
export const canonical = (url: string): string => pathOf(url).replace(/(.)\/+$/, '$1');

/** A sample of rows whose targets are all removed from the candidates at once. */
export function withoutTargets({ name, old, living }: MoveList): MoveList {
  const rows = old
    .filter(({ target }) => target !== '')
    .sort((a, b) => hashOf(`sample ${a.url}`) - hashOf(`sample ${b.url}`))
    .slice(0, REMOVED_ROWS);
  const removed = new Set(rows.map(({ target }) => canonical(target)));
  return { name, old: rows, living: living.filter(({ url }) => !removed.has(canonical(url))) };
}

function hashOf(text: string): number {
  // Not the first bytes: by their parity the lists were halved.
  return createHash('sha256').update(text).digest().readUInt32LE(8);
}
