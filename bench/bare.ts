/** A bare node:http server with a constant response, in a separate process. Receives the response and sends its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface BareResponse {
  status: number;
  /** names and values in turn */
  headers: string[];
  body: string;
}

process.once('message', ({ status, headers, body }: BareResponse) => {
  const server = createServer((_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
  server.keepAliveTimeout = 72_000;
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
});
process.on('disconnect', () => process.exit(0));
