import { createTimeSlice, type TimeSlice } from '../platform/scheduling/time-slice.ts';
import { type CandidateIndex, IN, PLACE_BITS, placedWords, urlHash } from './candidates.ts';
import { Dictionary } from './dictionary.ts';
import { GrowingNumbers } from './growing-numbers.ts';
import { type Page, pageWords } from './page-words.ts';
import { spellingHash } from './spelling.ts';

export interface BuildOptions {
  slice?: TimeSlice;
  signal?: AbortSignal;
}

/** Bytes of URLs that are allocated at once. */
const CHUNK = 1 << 16;

/** Builds the index of the candidates. Yields to the event loop every few milliseconds; throws if it is aborted. */
export async function buildIndex(
  candidates: AsyncIterable<Page> | Iterable<Page>,
  { slice = createTimeSlice(), signal }: BuildOptions = {},
): Promise<CandidateIndex> {
  const dictionary = new Dictionary();
  const spellings = new Dictionary();
  const words = new GrowingNumbers();
  const wordEnds = new GrowingNumbers();
  const urlEnds = new GrowingNumbers();
  const spelled = new GrowingNumbers();
  const urls: Buffer[] = [];
  let chunk = Buffer.alloc(0);
  let used = 0;
  let urlBytes = 0;
  const isNew = (hash: number): boolean => spellings.add(hash) === spelled.length;
  for await (const page of candidates) {
    const { hashes, places } = placedWords(pageWords(page));
    for (let i = 0; i < hashes.length; i++)
      words.push((dictionary.add(hashes[i] ?? 0) << PLACE_BITS) | (places[i] ?? 0));
    wordEnds.push(words.length);
    // The URL itself only if an earlier candidate has its spelling.
    if (isNew(spellingHash(page.url)) || isNew(urlHash(page.url))) spelled.push(urlEnds.length);
    const most = 3 * page.url.length;
    if (most > chunk.length - used) {
      urls.push(chunk.subarray(0, used));
      chunk = Buffer.allocUnsafe(CHUNK + most);
      used = 0;
    }
    const written = chunk.write(page.url, used);
    used += written;
    urlEnds.push((urlBytes += written));
    if (!slice.isOver()) continue;
    await slice.yield();
    signal?.throwIfAborted();
  }
  const parts = {
    urls: Buffer.concat([...urls, chunk.subarray(0, used)]),
    urlEnds: urlEnds.finish(),
    words: words.finish(),
    wordEnds: wordEnds.finish(),
    spelled: spelled.finish(),
  };
  const lists = await invert(parts, dictionary.size, slice);
  const arrays = [...Object.values(parts), ...Object.values(lists)];
  const bytes = arrays.reduce((sum, { byteLength }) => sum + byteLength, dictionary.bytes + spellings.bytes);
  return { ...parts, ...lists, dictionary, spellings, bytes, size: parts.urlEnds.length };
}

/** Candidates by word from words by candidate, by counting. */
async function invert(
  { words, wordEnds }: Pick<CandidateIndex, 'words' | 'wordEnds'>,
  wordCount: number,
  slice: TimeSlice,
): Promise<Pick<CandidateIndex, 'postings' | 'postingEnds'>> {
  const postingEnds = new Uint32Array(wordCount);
  const postings = new Uint32Array(words.length);
  const add = (word: number, by: number): number => {
    const before = postingEnds[word] ?? 0;
    postingEnds[word] = before + by;
    return before;
  };
  for (let at = 0; at < words.length; at++) {
    add((words[at] ?? 0) >>> PLACE_BITS, 1);
    if (at % 10_000 === 0 && slice.isOver()) await slice.yield();
  }
  for (let word = 0, sum = 0; word < wordCount; word++) {
    const count = postingEnds[word] ?? 0;
    postingEnds[word] = sum;
    sum += count;
    if (word % 10_000 === 0 && slice.isOver()) await slice.yield();
  }
  for (let candidate = 0, at = 0; candidate < wordEnds.length; candidate++) {
    for (; at < (wordEnds[candidate] ?? 0); at++) {
      const word = words[at] ?? 0;
      const isStrong = (word & (IN.name | IN.title | IN.key)) !== 0;
      postings[add(word >>> PLACE_BITS, 1)] = (candidate << 1) | (isStrong ? 1 : 0);
    }
    if (candidate % 1_000 === 0 && slice.isOver()) await slice.yield();
  }
  return { postings, postingEnds };
}
