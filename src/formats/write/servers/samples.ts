/**
 * Sample requests of a file, one comment each: `detour sync` sends them after a swap. A few rules of each kind, chosen
 * by a hash of their keys, so that an unchanged state has the same samples.
 */
import { crc32 } from 'node:zlib';
import { matchForm, storedPatternForm } from '../../../resolver/patterns/pattern.ts';
import { parseKey } from '../../../resolver/rule.ts';
import { RAW_ESCAPES } from './raw-characters.ts';
import type { ServerRule, ServerSite, TargetedRule } from './server-format.ts';

const MAX_OF_KIND = 3;

interface Chosen {
  rule: TargetedRule;
  converted: ServerRule;
  rank: number;
}

/** Collects rules that the file expresses. `texts` has up to 21 texts `sample: redirect ID TARGET`. */
export function createSamples({ website }: ServerSite) {
  const kinds = new Map<string, Chosen[]>();
  return {
    add(rule: TargetedRule, converted: ServerRule): void {
      const kind = kindOf(rule, converted);
      const chosen = kinds.get(kind) ?? [];
      const rank = crc32(rule.key);
      if (chosen.length === MAX_OF_KIND && rank >= (chosen.at(-1)?.rank ?? 0)) return;
      const ranked = [...chosen, { rule, converted, rank }].sort((one, other) => one.rank - other.rank);
      kinds.set(kind, ranked.slice(0, MAX_OF_KIND));
    },
    texts(): string[] {
      return [...kinds.values()].flat().flatMap(({ rule, converted }) => {
        const path = converted.kind === 'literal' ? converted.paths[0] : patternPath(rule, website.caseSensitive);
        if (path === undefined) return [];
        const required = rule.isRegex ? [] : parseKey(rule.key).pairs;
        const passed = converted.ownNames.length === 0 ? [] : [`${converted.ownNames[0]}=1`, 'detour=sample'];
        const query = [...required, ...passed].join('&');
        return [`sample: redirect ${rule.id} ${withRaw(path)}${query === '' ? '' : `?${query}`}`];
      });
    },
  };
}

function kindOf({ key }: TargetedRule, { kind, ownNames, target }: ServerRule): string {
  if (kind === 'literal' && key.includes('?')) return 'required';
  if (kind === 'literal' && withRaw(key) !== key) return 'raw';
  return ownNames.length > 0 ? `${kind} query` : target === null ? 'gone' : kind;
}

/** The path as browsers send it. */
const withRaw = (path: string): string =>
  RAW_ESCAPES.reduce((text, { raw, escape }) => text.replaceAll(escape, raw), path);

const FILLERS = ['a', '1', '12', '2024', 'a/b', 'a-1', ''];

/** A path that the pattern matches; undefined if none of a few candidates does. */
function patternPath({ oldPath }: TargetedRule, caseSensitive: boolean): string | undefined {
  const form = storedPatternForm(oldPath);
  if (!form) return undefined;
  const runs = [form.prefix, ...form.runs.slice(1)];
  const candidates = FILLERS.map((filler) => runs.join(filler) + (form.closed ? '' : filler));
  return candidates.find((path) => matchForm(form, path, caseSensitive, false));
}
