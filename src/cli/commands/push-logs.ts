import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, type Context, isOn, text } from '../command.ts';
import { ApiError, CommandError, counted } from '../errors.ts';
import { createFollower } from '../logs/follow.ts';
import { bodyOf } from '../urls/spool.ts';
import { WEBSITE_OPTION, websiteOf } from '../website.ts';

type Count = 'lines' | 'counted' | 'skipped' | 'not_ours' | 'invalid' | 'unused';

export interface PushedLog {
  logs: Record<Count, number> & { from: string | null; until: string | null };
  format: string | null;
  offset: number | null;
  examples: { line: number; reason: string; value: string }[];
}

const POLL_MS = 2_000;

export const pushLogs: Command = {
  summary: 'Counts access logs of another server or CDN as hits of the website.',
  words: 'FILE [FILE...]',
  options: {
    ...WEBSITE_OPTION,
    format: {
      short: 'f',
      value: 'NAME',
      help: 'The format, such as combined. Default: recognized by the first lines.',
    },
    host: { value: 'HOST', help: 'The host of lines without one. Default: the only host of production.' },
    'time-zone': { value: 'ZONE', help: 'The zone of times without one, such as Europe/Berlin. Default: UTC.' },
    stream: { value: 'NAME', help: 'The name of the series of logs, one for each server. Default: main.' },
    follow: { help: 'Keeps sending what is added to the files, also after they were rotated.' },
  },
  notes: `FILE is a log of nginx, Apache, Caddy, CloudFront, AWS ALB, Fastly or IIS, or has JSON lines; also .gz. A log that
was sent before, or has grown since, counts its new lines only. Lines that the service answered itself must be left out:
docs/logs.md has the conditions for nginx and Apache.`,
  async run(context) {
    const { words } = context;
    const website = await websiteOf(context);
    const path = `/websites/${website.id}/logs`;
    if (isOn(context, 'follow')) return follow(context, path);
    const files: ({ file: string } & PushedLog)[] = [];
    for (const file of words) {
      const call = { method: 'POST', path, query: optionsOf(context), body: bodyOf(file), canRepeat: true };
      files.push({ file, ...(await context.client.call<PushedLog>(call)) });
    }
    return { text: files.map(logText).join('\n'), json: { website_id: website.id, files }, outputs: [] };
  },
};

const optionsOf = (context: Context) => ({
  format: text(context, 'format'),
  host: text(context, 'host'),
  time_zone: text(context, 'time-zone'),
  stream: text(context, 'stream'),
});

/** Ends only by an error that a later call would have too. */
async function follow(context: Context, path: string): Promise<never> {
  const { client, terminal } = context;
  const followers = context.words.map((file) =>
    createFollower(file, async (part) => {
      const query = { ...optionsOf(context), file: part.id, offset: part.offset };
      const pushed = await client.call<PushedLog>({ method: 'POST', path, query, body: part.body, canRepeat: true });
      const { lines, skipped } = pushed.logs;
      if (lines > skipped) terminal.note(logText({ file, ...pushed }));
      return pushed.offset ?? part.offset;
    }),
  );
  for (;;) {
    for (const follower of followers) {
      await follower.poll().catch((error: unknown) => {
        const isLasting =
          error instanceof ApiError ? error.status < 500 && error.status !== 429 : !(error instanceof CommandError);
        if (isLasting) throw error;
        terminal.note(`${(error as Error).message}; trying again`);
      });
    }
    await sleep(POLL_MS);
  }
}

function logText({ file, logs, examples }: { file: string } & PushedLog): string {
  const others = (['skipped', 'not_ours', 'invalid', 'unused'] as const).filter((name) => logs[name] > 0);
  const counts = others.map((name) => `, ${logs[name].toLocaleString('en')} ${NAMES[name]}`).join('');
  const lines = examples.map(({ line, reason, value }) => `  line ${line}: ${NAMES[reason] ?? reason}: ${value}`);
  return [
    `${file}: ${logs.counted.toLocaleString('en')} of ${counted(logs.lines, 'line', 'lines')} counted${counts}`,
    ...lines,
  ].join('\n');
}

const NAMES: Record<string, string> = {
  skipped: 'counted before',
  not_ours: 'of other hosts',
  invalid: 'invalid',
  unused: 'without use',
};
