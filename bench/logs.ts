/** An access log with five lines for each rule: its time, and the memory of the service meanwhile. */
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { temporaryFolder } from './cleanup.ts';
import { type Bench, untilUrlsKnown } from './context.ts';
import { report } from './report.ts';
import { benchRow } from './rows.ts';
import { seconds } from './statistics.ts';

const LINES_PER_RULE = 5;
/** Visitors at a time; each has about 100 requests, then others follow. */
const VISITORS = 2_000;
const REQUESTS_OF_VISITOR = 100;
const CHUNK_LINES = 500;
const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

export async function measureLogs(bench: Bench): Promise<void> {
  const website = await bench.website();
  const { id, host } = website;
  await untilUrlsKnown(await bench.service(), website);
  const service = await bench.restart();
  const lines = bench.rows * LINES_PER_RULE;
  const file = join(temporaryFolder(), 'access.log');
  await pipeline(Readable.from(logText(bench.rows, lines)), createWriteStream(file));
  const { rssMb } = await service.read('reset');
  let answer = '';
  const taken = await seconds(async () => {
    const path = `/api/v1/websites/${id}/logs?stream=bench&host=${host}&format=combined`;
    answer = await service.post(path, 'text/plain', createReadStream(file));
  });
  const { peakRssMb } = await service.read('read');
  const { counted } = (JSON.parse(answer) as { logs: { counted: number } }).logs;
  if (counted !== (lines / 10) * 7) throw new Error(`${counted} of ${lines} lines are counted, not 7 of 10`);
  report('logTime', taken, { lines, mb: Math.round(statSync(file).size / 1024 ** 2) });
  report('logRss', peakRssMb - rssMb, { before_mb: rssMb, peak_mb: peakRssMb });
}

/** Six of ten lines are redirects of a tenth of the rules, one is an unmatched path and three are files of pages. */
function* logText(rules: number, lines: number): Generator<string> {
  const start = Date.now() - 6 * 86_400_000;
  for (let from = 0; from < lines; from += CHUNK_LINES) {
    const time = stamp(new Date(start + (from / lines) * 5 * 86_400_000));
    let text = '';
    for (let at = from; at < Math.min(from + CHUNK_LINES, lines); at++) {
      // Knuth's multiplicative hash, so that lines differ and each run has the same ones.
      const seed = Math.imul(at + 1, 2_654_435_761) >>> 0;
      const visitor = Math.floor(at / REQUESTS_OF_VISITOR) + (seed % VISITORS);
      const address = `10.${visitor >> 16}.${(visitor >> 8) & 255}.${visitor & 255}`;
      const agent = AGENTS[seed % 40 < 36 ? visitor % 2 : 2 + (visitor % 2)] ?? '';
      text += `${address} - - [${time}] "GET ${requested(at, seed, rules)} "-" "${agent}"\n`;
    }
    yield text;
  }
}

function requested(at: number, seed: number, rules: number): string {
  const kind = at % 10;
  // Few rules have most of the hits.
  const share = (seed / 2 ** 32) ** 2;
  if (kind < 6) return `${benchRow(Math.floor((share * rules) / 10)).oldPath} HTTP/1.1" 301 0`;
  return kind === 6
    ? `/gone/${seed % 20_000} HTTP/1.1" 404 153`
    : `/assets/app-${seed % 500}.js HTTP/1.1" 200 ${seed % 90_000}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The time of a line in the Common Log Format. */
const stamp = (time: Date): string =>
  `${two(time.getUTCDate())}/${MONTHS[time.getUTCMonth()] ?? ''}/${time.getUTCFullYear()}:${time.toISOString().slice(11, 19)} +0000`;
