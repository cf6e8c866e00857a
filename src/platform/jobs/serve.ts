/** The side of the job thread: runs the jobs that it is given, several at a time. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { storeCompiledCode } from '../process/compile-cache.ts';
import { createReceiver, createSender } from './flow.ts';
import { type FromJob, type JobRequest, receivedError, type ToJob, transferError } from './protocol.ts';

export interface JobContext {
  /** what the caller sends: a request body. Nothing of it is read before the job reads it. */
  body: AsyncIterable<Buffer>;
  /** Sends a part of the result. Rejects when the caller has cancelled the job. */
  send(chunk: Uint8Array): Promise<void>;
}

export type JobHandler<Input, Output> = (input: Input, context: JobContext) => Promise<Output>;
/** Each handler has an input of its own type, which the caller's types name. */
export type JobHandlers = Record<string, JobHandler<never, unknown>>;

/** Serves jobs. After the message 'close' it takes no further ones and calls `close`, so that the thread exits. */
export function serveJobs(handlers: JobHandlers, close: () => Promise<unknown>): void {
  parentPort?.on('message', (message: JobRequest | 'close') => {
    if (message !== 'close') return void runJob(handlers, message);
    parentPort?.close();
    void close();
  });
  storeCompiledCode();
}

async function runJob(handlers: JobHandlers, { name, input, port }: JobRequest): Promise<void> {
  const post = (message: FromJob, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const context = openContext(port, post);
  try {
    const handler = handlers[name];
    if (!handler) throw new Error(`no such job: ${name}`);
    post({ done: await handler(input as never, context) });
  } catch (error) {
    post({ failed: transferError(error) });
  } finally {
    port.close();
  }
}

function openContext(port: MessagePort, post: (message: FromJob, transfer?: ArrayBuffer[]) => void): JobContext {
  const body = createReceiver((acknowledged) => post({ acknowledged }));
  const sender = createSender(post);
  port.on('message', (message: ToJob) => {
    if ('chunk' in message || 'slot' in message) body.push(message);
    else if ('end' in message) body.end();
    else if ('failed' in message) body.fail(receivedError(message.failed));
    else if ('acknowledged' in message) sender.acknowledge(message.acknowledged);
    else stop();
  });
  const stop = (): void => {
    const reason = new Error('the caller cancelled the job');
    sender.stop(reason);
    body.fail(reason);
  };
  port.on('close', stop);
  return { body: copies(body, () => post({ wanted: true })), send: sender.send };
}

/** A parser of a body may use a chunk for longer than the receiver allows. Garbage of this thread blocks no visitor. */
async function* copies(chunks: AsyncIterable<Buffer>, onStart: () => void): AsyncGenerator<Buffer> {
  onStart();
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
