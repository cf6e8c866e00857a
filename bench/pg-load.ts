/** Repeats statements through pg alone, in a separate process: prepared once per connection, by name. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Pool, type PoolClient } from 'pg';
import { atEnd } from './cleanup.ts';
import type { RoundResult } from './load.ts';
import type { Statement } from './statement-recorder.ts';

/** As many as a process of the service has for requests. */
const CONNECTIONS = 20;
const IN_FLIGHT = 32;

interface Task {
  databaseUrl: string;
  statements: Statement[];
}

export interface PgLoad {
  /** Repeats all statements for `ms`; `answered` counts the repetitions. */
  run(ms: number): Promise<RoundResult>;
  stop(): Promise<void>;
}

export function startPgLoad(databaseUrl: string, statements: Statement[]): PgLoad {
  const child = fork(import.meta.filename, { execArgv: [] });
  child.send({ databaseUrl, statements } satisfies Task);
  return {
    async run(ms) {
      child.send(ms);
      const [result] = (await once(child, 'message')) as [RoundResult];
      if (result.error !== undefined) throw new Error(result.error);
      return result;
    },
    stop: atEnd(() => void child.kill('SIGKILL')),
  };
}

async function runRound(pool: Pool, statements: Statement[], ms: number): Promise<RoundResult> {
  const start = performance.now();
  let answered = 0;
  // One connection for all statements of a repetition only if they are a transaction.
  const isTransaction = statements.some(({ text }) => /^begin/i.test(text));
  const repeat = async (client: Pool | PoolClient): Promise<void> => {
    for (const [index, { text, values }] of statements.entries())
      await client.query({ name: `statement_${index}`, text, values });
  };
  const worker = async (): Promise<void> => {
    while (performance.now() < start + ms) {
      if (isTransaction) {
        const client = await pool.connect();
        await repeat(client).finally(() => client.release());
      } else await repeat(pool);
      answered++;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return { answered, seconds: (performance.now() - start) / 1_000 };
}

if (process.argv[1] === import.meta.filename) {
  let pool: Pool | undefined;
  let statements: Statement[] = [];
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: Task | number) => {
    if (typeof message === 'object') {
      pool = new Pool({ connectionString: message.databaseUrl, max: CONNECTIONS });
      statements = message.statements;
    } else if (pool) {
      runRound(pool, statements, message).then(
        (result) => process.send?.(result),
        (error: unknown) => process.send?.({ answered: 0, seconds: 0, error: String(error) } satisfies RoundResult),
      );
    }
  });
}
