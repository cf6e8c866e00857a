/** A visitor in a separate process: requests a redirect every 5 ms until stopped, then reports the response times. */
import { Agent, request } from 'node:http';

const INTERVAL_MS = 5;
const [address = '', host = '', path = ''] = process.argv.slice(2);
const { hostname, port } = new URL(address);
const agent = new Agent({ keepAlive: true });
const taken: number[] = [];

function visit(): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, headers: { host }, agent }, (response) => {
      if (response.statusCode !== 301) return reject(new Error(`${host}${path}: ${response.statusCode}`));
      response.resume().on('end', () => resolve(performance.now() - started));
    });
    asked.on('error', reject).end();
  });
}

let stopped = false;
process.once('message', () => {
  stopped = true;
});
await visit();
process.send?.('ready');
while (!stopped) {
  taken.push(await visit());
  await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
}
process.send?.(taken);
agent.destroy();
process.disconnect();
