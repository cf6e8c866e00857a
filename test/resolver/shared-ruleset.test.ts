/** Holds the rules of src/resolver/literals/share-literals.ts. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rule } from '../../src/resolver/rule.ts';
import { emptyRuleset, openRuleset, type Ruleset, type SharedRuleset } from '../../src/resolver/ruleset.ts';
import { seeded } from '../support/random.ts';
import type { Patch } from './patching-worker.ts';
import { optionsFrom } from './rules.ts';

const THREADS = 4;
const OPTIONS = optionsFrom({ case_sensitive: false });
const workers: Worker[] = [];
const startWorker = (): Worker => new Worker(new URL('./patching-worker.ts', import.meta.url));

beforeAll(() => void workers.push(...Array.from({ length: THREADS }, startWorker)));
afterAll(async () => void (await Promise.all(workers.map((worker) => worker.terminate()))));

interface Version {
  shared: SharedRuleset;
  rules: Map<string, Rule>;
}

const EMPTY: Version = { shared: emptyRuleset().share(), rules: new Map() };
let lastId = 0;

function randomRule(random: () => number): Rule {
  const id = ++lastId;
  const number = Math.floor(random() * 5_000);
  const key =
    [`/a/${number}`, `/A/${number}`, `/a?id=${number}`, `^/p/${number % 20}/(.*)$`][Math.floor(random() ** 3 * 4)] ??
    '';
  return { id, key, isRegex: key.startsWith('^'), newPath: `/é/${'t'.repeat(number % 300)}/${id}`, statusCode: 301 };
}

/** Patches of the same version by all threads at the same time. Abandoned ones return undefined. */
async function patchTogether(base: Version, sizes: number[], abandoned: number, random: () => number) {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  gate[0] = sizes.length;
  const work = sizes.map(async (size, thread) => {
    const rules = new Map(base.rules);
    const add = Array.from({ length: size }, () => randomRule(random));
    const unique = [...new Map(add.map((rule) => [rule.key, rule])).values()];
    const existing = [...rules.keys()].filter(() => random() < 0.02);
    const remove = [...new Set([...existing, ...unique.map(({ key }) => key)])];
    for (const key of remove) rules.delete(key);
    for (const rule of unique) rules.set(rule.key, rule);
    const patch: Patch = { base: base.shared, remove, add: unique, gate, abandon: thread < abandoned };
    const worker = workers[thread];
    if (!worker) throw new Error('there are not enough threads');
    const answered = once(worker, 'message') as Promise<[SharedRuleset | undefined]>;
    worker.postMessage(patch);
    const [shared] = await answered;
    return shared && { shared, rules };
  });
  return Promise.all(work);
}

const byId = (a: Rule, b: Rule): number => a.id - b.id;

function expectSame(ruleset: Ruleset, { rules }: Version): void {
  expect(ruleset.size).toBe(rules.size);
  expect([...ruleset.rules()].sort(byId)).toEqual([...rules.values()].sort(byId));
  for (const rule of rules.values()) if (ruleset.get(rule.key)?.id !== rule.id) throw new Error(`${rule.key} is lost`);
  const literals = [...rules.values()].filter(({ isRegex }) => !isRegex);
  const targets = [...ruleset.targets()].filter((target) => target.isCurrent());
  expect(targets.map((target) => target.key()).sort()).toEqual(literals.map(({ key }) => key).sort());
}

test('threads that patch the same ruleset at the same time do not see each other', async () => {
  const random = seeded(7);
  const versions = [EMPTY];
  for (let round = 0; round < 20; round++) {
    const base = versions[Math.floor((1 - random() ** 3) * versions.length)] ?? EMPTY;
    const sizes = workers.map(() => Math.floor(random() ** 4 * 3_000) + 1);
    for (const version of await patchTogether(base, sizes, round % 3, random)) if (version) versions.push(version);
  }
  for (const version of versions) expectSame(openRuleset(version.shared), version);
});

test('an opened ruleset matches as it does in the thread that built it', () => {
  const rules: Rule[] = [
    { id: 1, key: '/a', isRegex: false, newPath: '/b', statusCode: 301 },
    { id: 2, key: '/Upper', isRegex: false, newPath: 'https://example.com/ü', statusCode: 302 },
    { id: 3, key: '/q?x=1', isRegex: false, newPath: null, statusCode: 410 },
    { id: 4, key: '^/p/(.*)$', isRegex: true, newPath: '/$1', statusCode: 301 },
  ];
  const draft = emptyRuleset().fork();
  for (const rule of rules) draft.add(rule);
  const built = draft.seal();
  const opened = openRuleset(structuredClone(built.share()));
  for (const [path, query] of [
    ['/a', null],
    ['/upper', null],
    ['/q', 'x=1'],
    ['/p/y', null],
    ['/none', 'z'],
  ] as const) {
    const [one, other] = [opened, built].map((each) => [...each.candidates({ path, query }, OPTIONS)]);
    expect(one?.map(({ read }) => read())).toEqual(other?.map(({ read }) => read()));
  }
  expect([opened.requiresQueries, opened.bytes, opened.wastedBytes]).toEqual([true, built.bytes, built.wastedBytes]);
});

test('a thread that ends with an unsealed draft changes nothing for others', async () => {
  const random = seeded(11);
  const [base = EMPTY] = await patchTogether(EMPTY, [2_000], 0, random);
  const ended = startWorker();
  workers.unshift(ended);
  await patchTogether(base, [50], 1, random);
  await workers.shift()?.terminate();
  for (const version of await patchTogether(
    base,
    workers.map(() => 100),
    0,
    random,
  )) {
    if (version) expectSame(openRuleset(version.shared), version);
  }
  expectSame(openRuleset(base.shared), base);
});

test('sharing and opening copies no literals', () => {
  const draft = emptyRuleset().fork();
  for (let id = 1; id <= 20_000; id++) draft.add({ id, key: `/${id}`, isRegex: false, newPath: '/x', statusCode: 301 });
  const ruleset = draft.seal();
  const again = openRuleset(ruleset.share()).share();
  expect(again.literals.pages.map(({ memory }) => memory)).toEqual(
    ruleset.share().literals.pages.map(({ memory }) => memory),
  );
  expect(again.literals.pages[0]?.memory).toBe(ruleset.share().literals.pages[0]?.memory);
  expect(again.literals.segments[0]?.memory).toBe(ruleset.share().literals.segments[0]?.memory);
});
