/** Serving: memory and load time of a large website, time until an edit is served, throughput against node:http. */
import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { emptyRuleset } from '../src/resolver/ruleset.ts';
import type { BenchWebsite } from './import.ts';
import { startBareServer } from './limits.ts';
import { quantile, report } from './report.ts';
import { benchRow } from './rows.ts';
import type { Subject } from './subject.ts';

const run = promisify(execFile);

const EDITS = 60;
const CONNECTIONS = 32;
const ROUND_MS = 2_500;
const ROUNDS = 3;

/** Memory of a ruleset, in bytes per rule. */
export function measureBytes(count: number): void {
  const draft = emptyRuleset().fork();
  for (let index = 0; index < count; index++) {
    const row = benchRow(index);
    draft.add({
      id: index + 1,
      key: row.oldPath,
      isRegex: false,
      newPath: row.newPath,
      statusCode: row.status,
    });
  }
  report({
    name: 'memory: own bytes of an exact rule',
    value: draft.seal().bytes / count,
    unit: 'B',
    promise: 120,
  });
}

/** From the request of an edit to the first response with the new target. */
export async function measureEdits(subject: Subject, { host, id: websiteId }: BenchWebsite): Promise<void> {
  const path = benchRow(7).oldPath;
  const query = `/api/redirects?website_id=${websiteId}&limit=1&q=${encodeURIComponent(path)}`;
  const found = await subject.call<{ redirects: { id: number }[] }>('GET', query);
  const id = found.redirects[0]?.id ?? 0;
  const taken: number[] = [];
  await subject.read(true);
  for (let edit = 0; edit < EDITS; edit++) {
    const target = `/edited/${edit}`;
    const start = performance.now();
    await subject.call('PUT', `/api/redirects/${id}`, JSON.stringify({ new_path: target }));
    while ((await subject.visit(host, path)).location !== target) await new Promise((resolve) => setImmediate(resolve));
    taken.push(performance.now() - start);
  }
  report({
    name: 'one edit until it is served, median',
    value: quantile(taken, 0.5),
    unit: 'ms',
    promise: 300,
  });
  report({
    name: 'one edit until it is served, slowest',
    value: Math.max(...taken),
    unit: 'ms',
    promise: 300,
  });
  const { loopMaxMs } = await subject.read();
  report({ name: 'edits: event loop delay max', value: loopMaxMs, unit: 'ms', promise: 20 });
}

export async function measureLoad(subject: Subject, count: number): Promise<Subject> {
  const again = await subject.restart();
  const { rssMb } = await again.read();
  const note = 'process start, PostgreSQL start and all rules loaded';
  // In a separate process, because the heap of this one is full of rows.
  const { stdout } = await run(process.execPath, ['bench/load-once.ts', again.databaseUrl]);
  const loading = Number(stdout);
  report({
    name: `load of ${count.toLocaleString('en')} rules from PostgreSQL`,
    value: loading,
    unit: 's',
    promise: 3,
  });
  report({
    name: `restart with ${count.toLocaleString('en')} live rules until ready`,
    value: again.readySeconds,
    unit: 's',
    note,
  });
  report({ name: 'RSS of the process after the restart', value: rssMb, unit: 'MB' });
  return again;
}

/** Requests per second over 32 connections, alternating between the service and the bare server. */
export async function measureThroughput(subject: Subject, host: string, count: number): Promise<void> {
  const bare = await startBareServer();
  const ratios: number[] = [];
  const rates: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const limit = await requestRate(bare.address, host, count);
    const own = await requestRate(subject.address, host, count);
    ratios.push(own / limit);
    rates.push(`${Math.round(own)} of ${Math.round(limit)}`);
  }
  bare.server.close();
  const note = `${rates.join(', ')} per second; the bare server shares its process with the client`;
  report({
    name: 'redirects per second / bare node:http',
    value: quantile(ratios, 0.5),
    unit: 'x',
    promise: 0.85,
    atLeast: true,
    note,
  });
}

async function requestRate(address: string, host: string, count: number): Promise<number> {
  const { hostname, port } = new URL(address);
  const end = performance.now() + ROUND_MS;
  let responses = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () => {
      return new Promise<void>((resolve, reject) => {
        const socket = connect({ host: hostname, port: Number(port), noDelay: true });
        const send = (): void => {
          next = (next + 7_919) % count;
          socket.write(`GET ${benchRow(next).oldPath} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        };
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk.toString('latin1');
          const head = text.indexOf('\r\n\r\n');
          if (head < 0) return;
          const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
          if (text.length < head + 4 + length) return;
          if (!text.startsWith('HTTP/1.1 30')) return reject(new Error(text.slice(0, 200)));
          text = '';
          responses++;
          if (performance.now() < end) return send();
          socket.end();
          resolve();
        });
        socket.on('error', reject);
        send();
      });
    }),
  );
  return responses / (ROUND_MS / 1_000);
}
