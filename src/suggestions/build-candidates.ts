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

/** Characters of URLs that are encoded at once. */
const TEXT_CHUNK = 1 << 16;

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
  let text = '';
  let urlBytes = 0;
  for await (const page of candidates) {
    const { hashes, places } = placedWords(pageWords(page));
    for (let i = 0; i < hashes.length; i++)
      words.push((dictionary.add(hashes[i] ?? 0) << PLACE_BITS) | (places[i] ?? 0));
    wordEnds.push(words.length);
    // The URL itself only if an earlier candidate has its spelling.
    for (const hash of [spellingHash(page.url), urlHash(page.url)]) {
      if (spellings.add(hash) < spelled.length) continue;
      spelled.push(urlEnds.length);
      break;
    }
    urlBytes += Buffer.byteLength(page.url);
    urlEnds.push(urlBytes);
    text += page.url;
    if (text.length > TEXT_CHUNK) {
      urls.push(Buffer.from(text));
      text = '';
    }
    if (!slice.isOver()) continue;
    await slice.yield();
    signal?.throwIfAborted();
  }
  const parts = {
    urls: Buffer.concat([...urls, Buffer.from(text)]),
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
