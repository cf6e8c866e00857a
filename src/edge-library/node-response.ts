/** Sends answers through the response of Node.js, by its methods only: nothing here loads a module of Node.js. */
import type { EdgeAnswer, NodeResponse } from './types.ts';

/** Headers that describe the body of the application, which is not sent. */
const OF_THE_BODY = /^(?:content-.*|etag|last-modified|expires|accept-ranges|transfer-encoding)$/i;

export const describesBody = (header: string): boolean => OF_THE_BODY.test(header);

export function sendAnswer(response: NodeResponse, { status, headers, body }: EdgeAnswer): void {
  for (const name of response.getHeaderNames()) if (describesBody(name)) response.removeHeader(name);
  response.statusCode = status;
  for (const [name, value] of headers) response.setHeader(name, value);
  response.end(body);
}

/**
 * Lets the application respond. If its status is one of `statuses`, sends the answer instead, and discards what the
 * application writes.
 */
export function replaceResponse(response: NodeResponse, statuses: readonly number[], answer: EdgeAnswer): void {
  const { writeHead, write, end } = response;
  /** Every response passes here before its first byte. Returns true if the answer was sent instead. */
  function isReplaced(status: number): boolean {
    Object.assign(response, { writeHead, write, end });
    if (!statuses.includes(status) || response.headersSent) return false;
    sendAnswer(response, answer);
    Object.assign(response, {
      writeHead: () => response,
      write: () => true,
      end(...values: unknown[]) {
        const done = values.at(-1);
        if (typeof done === 'function') done();
        return response;
      },
    });
    return true;
  }
  response.writeHead = (status, ...rest) => (isReplaced(status) ? response : response.writeHead(status, ...rest));
  response.write = (...chunk) => isReplaced(response.statusCode) || response.write(...chunk);
  response.end = (...chunk) => (isReplaced(response.statusCode) ? response : response.end(...chunk));
}
