/** Runs the jobs of the bulk thread in the test's own thread, which starts faster. Tests of processes use the thread. */
import { bulkJobs } from '../../src/jobs/bulk-jobs.ts';
import type { BulkJobsDeps } from '../../src/jobs/operations.ts';
import { createReceiver, createSender } from '../../src/platform/jobs/flow.ts';
import type { JobHandlers } from '../../src/platform/jobs/serve.ts';
import type { JobThread } from '../../src/platform/jobs/thread.ts';

export function jobsInThisThread(deps: BulkJobsDeps): Pick<JobThread, 'run' | 'stream'> {
  const handlers: JobHandlers = bulkJobs(deps);
  const handlerOf = (name: string) => {
    const handler = handlers[name];
    if (!handler) throw new Error(`no such job: ${name}`);
    return handler;
  };
  const noBody = (): AsyncIterable<Buffer> => {
    const body = createReceiver(() => {});
    body.end();
    return body;
  };
  return {
    run: async <Output>(name: string, input: unknown, body?: AsyncIterable<Uint8Array>) =>
      (await handlerOf(name)(input as never, {
        body: (body ?? noBody()) as AsyncIterable<Buffer>,
        send: () => Promise.reject(new Error('this job has no stream')),
      })) as Output,
    async *stream(name, input) {
      const sender = createSender((message) => chunks.push(message));
      const chunks = createReceiver(sender.acknowledge);
      const send = (chunk: Uint8Array): Promise<void> => sender.send(chunk);
      const done = handlerOf(name)(input as never, { body: noBody(), send }).then(
        () => chunks.end(),
        (error: unknown) => chunks.fail(error),
      );
      try {
        yield* chunks;
      } finally {
        sender.stop(new Error('the caller cancelled the job'));
        await done;
      }
    },
  };
}
