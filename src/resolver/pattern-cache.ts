import { RE2JS } from 're2js';

/** A compiled pattern takes about 30 kB, so this many take 30 MB; all rulesets share them. */
const MOST_COMPILED = 1_000;

const programs = new Map<string, RE2JS | undefined>();

/**
 * The program of a pattern in canonical form, from the thousand used last or compiled now (about 0.1 ms). Undefined where it does not
 * compile, which what was admitted does.
 */
export function compiledPattern(source: string, caseSensitive: boolean): RE2JS | undefined {
  const key = caseSensitive ? `=${source}` : `~${source}`;
  const known = programs.get(key);
  if (known !== undefined) {
    // A Map keeps the order of insertion: putting it back makes it the one used last.
    programs.delete(key);
    programs.set(key, known);
    return known;
  }
  const program = compile(source, caseSensitive);
  if (program === undefined) return undefined;
  programs.set(key, program);
  if (programs.size > MOST_COMPILED) programs.delete(programs.keys().next().value ?? '');
  return program;
}

function compile(source: string, caseSensitive: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(source, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch {
    return undefined;
  }
}
