/** A process that starts and stops the service on the database that each IPC message names. */
import pino from 'pino';
import { prepareDatabase } from '../../src/main/database.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { loadConfig } from '../../src/platform/config/config.ts';
import { type Detour, startDetour } from '../../src/start.ts';

/** the URL of a database to start on; null: stop */
export type StarterCommand = string | null;
export interface StarterReply {
  /** why the start or the stop failed */
  error?: string;
  /** log lines since the last reply */
  log: string[];
}

let lines: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
let running: Detour | undefined;

async function start(databaseUrl: string): Promise<void> {
  const config = loadConfig({
    PORT: '0',
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: 'http://localhost:3000',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    SNAPSHOTS: 'off',
    OWNER_EMAIL: 'me@example.com',
    OWNER_PASSWORD: 'correct horse battery',
    DATA_DIR: process.argv[2],
  });
  const prepare = async (): Promise<void> => void (await prepareDatabase(databaseUrl, config, log));
  running = await startDetour({ config, databaseUrl, clock: systemClock, log, prepare });
}

process.on('message', (command: StarterCommand) => {
  const work = command === null ? running?.stop() : start(command);
  const reply = (message: StarterReply): void => void process.send?.({ ...message, log: lines.splice(0) });
  Promise.resolve(work).then(
    () => reply({ log: [] }),
    (error: unknown) =>
      reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error), log: [] }),
  );
});
