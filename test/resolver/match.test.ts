import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requestTarget, splitTarget } from '../../src/resolver/spelling/canonical-path.ts';
import type { MatchRequest } from '../../src/resolver/rule.ts';
import { optionsFrom, rulesetOf, type WireOptions } from './rules.ts';

/**
 * A row of the tables in `cases/`. A rule is `/from -> /to`, with `~` before a pattern and a status before the target.
 */
interface Case {
  name: string;
  rules: string[];
  options?: WireOptions;
  request: string;
  /** true if the request is as Node passes it: one character per byte above 0x7F */
  raw?: boolean;
  host?: string;
  scheme?: string;
  expect: { id: number; location: string | null; status?: number } | null;
}

const FOLDER = new URL('cases/', import.meta.url);

for (const file of readdirSync(FOLDER)) {
  const cases: Case[] = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
  test.each(cases)(`${file.replace('.json', '')}: $name`, (row) => {
    const match = rulesetOf(row.rules).match(requestOf(row), optionsFrom(row.options));
    const wanted = row.expect;
    expect(match && { id: match.id, location: match.location, status: match.statusCode }).toEqual(
      wanted === null ? undefined : { status: 301, ...wanted },
    );
  });
}

function requestOf({ request, raw, host, scheme }: Case): MatchRequest {
  const { path, query } = splitTarget(raw === true ? requestTarget(request) : request);
  return { path, query, ...(host !== undefined && { host }), ...(scheme !== undefined && { scheme }) };
}
