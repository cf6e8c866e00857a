/**
 * `node bench/moves-fit.ts [folder] [--without list]`: fits src/suggestions/weights.ts on the fitted half of the lists
 * of moves. With `--without`, one list is left out, to see with `npm run bench -- moves` how unseen sites fare.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIndex } from '../src/suggestions/build-candidates.ts';
import { compare, type Compared } from '../src/suggestions/compare.ts';
import { findCandidates } from '../src/suggestions/find-candidates.ts';
import { certaintyInputs, likenessInputs, rank } from '../src/suggestions/model.ts';
import { createQuery } from '../src/suggestions/query.ts';
import { WEIGHTS } from '../src/suggestions/weights.ts';
import { type Example, fitLogistic } from './logistic.ts';
import { canonical, isFitted, type MoveList, readMoves, withoutTargets } from './moves-data.ts';

interface FittedRow {
  compared: Compared[];
  /** canonical target; '' if it is gone or removed */
  target: string;
  weight: number;
}

/** Each kind of row of a list counts as much as any other: moved, gone, and rows with removed targets. */
const WEIGHT_OF_KIND = 1_000;
const PENALTY = { likeness: 1, certainty: 3 };

const { positionals, values } = parseArgs({ allowPositionals: true, options: { without: { type: 'string' } } });
const folder = positionals[0] ?? process.env.MOVES_DATA ?? '../shared/data/moves';
const moved: FittedRow[] = [];
const others: FittedRow[] = [];
for (const list of readMoves(folder).filter(({ name }) => name !== values.without)) {
  const rows = await compareRows(list);
  moved.push(...weigh(rows.filter(({ target }) => target !== '')));
  others.push(...weigh(rows.filter(({ target }) => target === '')));
  others.push(...weigh((await compareRows(withoutTargets(list))).map((row) => ({ ...row, target: '' }))));
}
WEIGHTS.likeness = fit(moved.flatMap(candidateExamples), PENALTY.likeness);
WEIGHTS.certainty = fit([...moved, ...others].map(rowExample), PENALTY.certainty);
write();

async function compareRows({ old, living }: MoveList): Promise<FittedRow[]> {
  const index = await buildIndex(living);
  return old
    .filter(({ url }) => isFitted(url))
    .map((page) => {
      const query = createQuery(index, page);
      const compared = findCandidates(index, query).map((candidate) => compare(index, query, candidate));
      return { compared, target: page.target === '' ? '' : canonical(page.target), weight: 1 };
    });
}

function weigh(rows: FittedRow[]): FittedRow[] {
  return rows.map((row) => ({ ...row, weight: WEIGHT_OF_KIND / Math.max(rows.length, 100) }));
}

interface NamedExample extends Omit<Example, 'inputs'> {
  inputs: Record<string, number>;
}

function candidateExamples({ compared, target, weight }: FittedRow): NamedExample[] {
  return compared.map(({ comparison, url }) => ({
    inputs: likenessInputs(comparison),
    isRight: canonical(url) === target,
    weight,
  }));
}

function rowExample({ compared, target, weight }: FittedRow): NamedExample {
  const ranked = rank(compared);
  const isRight = target !== '' && ranked[0] !== undefined && canonical(ranked[0].url) === target;
  return { inputs: certaintyInputs(ranked), isRight, weight };
}

function fit(examples: NamedExample[], penalty: number): Record<string, number> {
  const names = Object.keys(examples.find(({ inputs }) => Object.keys(inputs).length > 0)?.inputs ?? {});
  const rows = examples.map((one) => ({ ...one, inputs: names.map((name) => one.inputs[name] ?? 0) }));
  const weights = fitLogistic(rows, penalty);
  return Object.fromEntries([...names, 'constant'].map((name, i) => [name, Number((weights[i] ?? 0).toFixed(3))]));
}

function write(): void {
  const text = (weights: Record<string, number>): string =>
    Object.entries(weights)
      .map(([name, weight]) => `    ${name}: ${weight},\n`)
      .join('');
  writeFileSync(
    join(import.meta.dirname, '..', 'src', 'suggestions', 'weights.ts'),
    `/** Written by bench/moves-fit.ts; do not edit. README.md explains the inputs. */
export const WEIGHTS: { likeness: Record<string, number>; certainty: Record<string, number> } = {
  likeness: {
${text(WEIGHTS.likeness)}  },
  certainty: {
${text(WEIGHTS.certainty)}  },
};
`,
  );
}
