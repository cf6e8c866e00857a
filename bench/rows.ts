/** Seeded redirects in near-random order: old paths of about 33 characters, targets of about 43, as real sites have them. */
const WORDS = [
  'blog',
  'news',
  'shop',
  'docs',
  'help',
  'about',
  'goods',
  'archive',
  'guides',
  'support',
  'topics',
  'story',
];
const THINGS = [
  'summer',
  'winter',
  'classic',
  'modern',
  'silver',
  'garden',
  'travel',
  'coffee',
  'camera',
  'kitchen',
];

export interface BenchRow {
  oldPath: string;
  newPath: string;
  status: number;
}

function scramble(index: number): number {
  let value = Math.imul(index ^ (index >>> 16), 0x45d9f3b);
  value = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  return (value ^ (value >>> 16)) >>> 0;
}

/** The row of this number, always the same one; `generation` gives every row another target. */
export function benchRow(index: number, generation = 0): BenchRow {
  const seed = scramble(index + 1);
  const word = WORDS[seed % WORDS.length] ?? '';
  const thing = THINGS[(seed >>> 8) % THINGS.length] ?? '';
  const tail = seed.toString(36);
  return {
    oldPath: `/${word}/${2005 + (seed % 20)}/${thing}-${tail}-${index}`,
    newPath: `/en/${word}/${thing}-collection/page-${index}-${tail}${generation > 0 ? `-${generation}` : ''}`,
    status: seed % 8 === 0 ? 302 : 301,
  };
}

/** The rows as text, a piece of about 64 KB at a time. */
export function* rowText(count: number, line: (row: BenchRow) => string, generation = 0): Generator<string> {
  let text = '';
  for (let index = 0; index < count; index++) {
    text += line(benchRow(index, generation));
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield text;
}
