import { ENVIRONMENTS } from '../../vocabulary/environment.ts';
import {
  type Command,
  type Context,
  environmentOption,
  isOn,
  choice,
  type Outcome,
  text,
  VERSION,
} from '../command.ts';
import { EXIT, UsageError } from '../errors.ts';
import { type Failure, failureLines } from '../expectations.ts';
import { withProgress } from '../progress.ts';
import { readLines } from '../terminal.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';

interface Tested {
  url: string;
  outcome: string;
  status_code: number;
  location: string | null;
  redirect_id: string | null;
  final_url: string;
  hops: unknown;
}

interface Run {
  run: { passed: number; failed: number; duration_ms: number };
  failures: Failure[];
}

/** URLs in one call. */
const BATCH_SIZE = 5_000;

export const test: Command = {
  summary: 'Shows what visitors get for URLs, or runs the stored expectations.',
  words: '[URL...]',
  options: {
    ...WEBSITE_OPTION,
    environment: environmentOption('The environment. Default: production.', 'e'),
    against: { value: 'live|draft|N', form: VERSION, help: 'Live rules (default), current redirects, or a version.' },
    expectations: { help: 'Runs the stored expectations of the environment.' },
  },
  notes: `A URL is a path, or a URL of a host of the website; - reads one per line from standard input.
Exit code 1 if an expectation fails.`,
  async run(context) {
    const against = text(context, 'against') ?? 'live';
    const areStored = isOn(context, 'expectations');
    if (areStored === context.words.length > 0) throw new UsageError('name URLs to test, or add --expectations');
    const website = await websiteOf(context);
    return areStored ? runExpectations(context, website.id, against) : testUrls(context, website.id, against);
  },
};

async function runExpectations(context: Context, id: string, against: string): Promise<Outcome> {
  const environment = choice(context, 'environment', ENVIRONMENTS) ?? 'production';
  const body = { environment, against: /^\d/.test(against) ? Number(against) : against };
  const result = await withProgress(context.terminal.stderr, (show) => {
    show('running expectations');
    return context.client.post<Run>(`/websites/${id}/expectations/run`, body, { canRepeat: true });
  });
  const { passed, failed } = result.run;
  const counts = `${passed.toLocaleString('en')} passed, ${failed.toLocaleString('en')} failed`;
  return {
    exit: failed > 0 ? EXIT.failed : EXIT.done,
    text: [...failureLines(result.failures, failed), counts].join('\n'),
    json: result,
  };
}

async function testUrls(context: Context, id: string, against: string): Promise<Outcome> {
  const environment = choice(context, 'environment', ENVIRONMENTS);
  const place = against === 'live' ? {} : against === 'draft' ? { against } : { version: Number(against) };
  const results: Tested[] = [];
  await withProgress(context.terminal.stderr, async (show) => {
    for await (const urls of batches(context)) {
      show(`testing ${(results.length + urls.length).toLocaleString('en')} URLs`);
      const body = { website_id: id, ...(environment && { environment }), ...place, urls };
      const answer = await context.client.post<{ results: Tested[] }>('/redirects/test', body, { canRepeat: true });
      for (const result of answer.results) results.push(result);
    }
  });
  if (results.length === 0) throw new UsageError('standard input has no URL');
  return { text: results.map(testedText).join('\n'), json: { results } };
}

async function* batches({ words, terminal }: Context): AsyncGenerator<string[]> {
  const source = words.length === 1 && words[0] === '-' ? readLines(terminal.stdin) : words;
  let batch: string[] = [];
  for await (const url of source) {
    if (url.trim() !== '') batch.push(url.trim());
    if (batch.length < BATCH_SIZE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** `301 /old -> /new`, with the last URL of a longer chain. */
function testedText({
  url,
  status_code: status,
  location,
  final_url: final,
  outcome,
  redirect_id: rule,
}: Tested): string {
  const target = location === null ? '' : ` -> ${location}`;
  const rest = final && final !== location && rule !== null && location !== null ? ` (ends at ${final})` : '';
  const how = rule === null ? (status === 404 ? ' (no redirect)' : ' (fallback)') : rest;
  return `${status} ${url}${target}${how}${outcome === 'loop' ? ' LOOP' : ''}`;
}
