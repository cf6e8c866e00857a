import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCopyWriter } from '../../src/edge-agent/copy-writer.ts';
import { copyFile } from '../../src/edge-agent/rules-copy.ts';
import type { FeedRules } from '../../src/feed-client/feed-rules.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { emptyRuleset } from '../../src/resolver/ruleset.ts';

const SOURCES = [1, 2].map(
  (websiteId) => ({ url: 'https://detour.example', websiteId, environment: 'production' }) as const,
);
const RULES = { head: {}, ruleset: emptyRuleset() } as unknown as FeedRules;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'detour-copies-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function writerOf(dir: string) {
  const errors: unknown[] = [];
  const writer = createCopyWriter({ dir, clock: systemClock, onError: (error) => void errors.push(error) });
  for (const source of SOURCES) writer.changed(source, RULES);
  return { writer, errors };
}

test('a stop writes the copies that are left', async () => {
  const { writer, errors } = writerOf(folder);
  await writer.stop();
  expect(SOURCES.map((source) => existsSync(copyFile(folder, source)))).toEqual([true, true]);
  expect(errors).toEqual([]);
});

test('a stop tries a copy that cannot be written once', async () => {
  const { writer, errors } = writerOf(join(folder, 'missing'));
  await writer.stop();
  expect(errors).toHaveLength(SOURCES.length);
});
