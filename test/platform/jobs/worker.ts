/** Entry of a job thread for thread.test.ts. */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { serveJobs } from '../../../src/platform/jobs/serve.ts';
import { DomainError, invalid } from '../../../src/vocabulary/error.ts';

let cancelled = 0;
let closedAfter = 0;

serveJobs(
  {
    /** counts the bytes of the body */
    async count(_input: unknown, { body }) {
      let bytes = 0;
      for await (const chunk of body) bytes += chunk.length;
      return bytes;
    },
    async first(_input: unknown, { body }) {
      for await (const chunk of body) return chunk.toString();
    },
    async upTo(count: number, { send }) {
      try {
        for (closedAfter = 0; closedAfter < count; closedAfter++) await send(Buffer.from(`${closedAfter}\n`));
      } catch (error) {
        cancelled++;
        throw error;
      }
    },
    async large(count: number, { send }) {
      for (let i = 0; i < count; i++) await send(Buffer.alloc(1_000 + (i % 30) * 30_000, i % 251));
    },
    async hash(_input: unknown, { body }) {
      const hash = createHash('sha256');
      for await (const chunk of body) hash.update(chunk);
      return hash.digest('hex');
    },
    async state() {
      return { cancelled, sent: closedAfter };
    },
    async refuse() {
      throw invalid('old_path', 'must begin with "/"');
    },
    async refuseEntries() {
      throw new DomainError('VALIDATION_ERROR', 'Entries are invalid', { extra: { errors: [{ index: 3 }] } });
    },
    async systemError() {
      throw Object.assign(new Error('lost', { cause: Object.assign(new Error('cut'), { code: 'ECONNRESET' }) }), {
        code: '57P01',
      });
    },
    wait: (ms: number) => pause(ms, 'waited'),
    async exit() {
      process.exit(3);
    },
    async fillMemory() {
      const kept: number[][] = [];
      for (;;) kept.push(Array.from({ length: 100_000 }, Math.random));
    },
  },
  async () => {},
);
