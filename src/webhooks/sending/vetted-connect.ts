import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { addressRefusal, type Egress } from './egress.ts';
import { AttemptFailure } from './outcome.ts';
import type { Resolve } from './dns-resolver.ts';

/** With several addresses: how long one is tried before the next. Node's 250 ms is less than some round trips. */
const NEXT_ADDRESS_AFTER_MS = 1_000;

export interface ConnectOptions {
  egress: Egress;
  resolve: Resolve;
  /** for the name, the connection and TLS together */
  timeoutMs: number;
}

/**
 * Connects to receivers, and to nothing else: every address is looked at when the connection is made, so that a name which
 * changes its mind after registration leads nowhere. Names go through `lookup`, which refuses all addresses for one bad one;
 * an IP address in the URL never comes by there. Fails with an AttemptFailure.
 */
export function vettedConnect({ egress, resolve, timeoutMs }: ConnectOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    // Said, not left to the default: NODE_TLS_REJECT_UNAUTHORIZED must not turn it off here.
    rejectUnauthorized: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup: vettedLookup(egress, resolve),
  });
  return (options, callback) => {
    const refusal = isIP(options.hostname) ? addressRefusal(options.hostname, egress) : null;
    if (refusal !== null) {
      callback(new AttemptFailure('address', `${options.hostname} is ${refusal}`), null);
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error) callback(toFailure(error, options.protocol === 'https:'), null);
      else callback(null, socket);
    });
  };
}

function vettedLookup(egress: Egress, resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    vettedAddresses(host, egress, resolve).then(
      (found) => {
        const first = found[0];
        if (options.all || !first) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };
}

async function vettedAddresses(
  host: string,
  egress: Egress,
  resolve: Resolve,
): Promise<{ address: string; family: number }[]> {
  const addresses = await resolve(host).catch((error: unknown) => {
    throw new AttemptFailure('dns', `${host} could not be resolved${codeOf(error)}`);
  });
  if (addresses.length === 0) throw new AttemptFailure('dns', `${host} has no address`);
  for (const address of addresses) {
    const refusal = addressRefusal(address, egress);
    if (refusal !== null) throw new AttemptFailure('address', `${host} resolves to ${refusal}`);
  }
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

/** What is no failure of the connection itself, on a connection that wants to be secure, is one of TLS. */
function toFailure(error: Error, isSecure: boolean): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  if ('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT')
    return new AttemptFailure('timeout', 'the connection was not made in time');
  const isOfTcp = error instanceof AggregateError || ('syscall' in error && error.syscall === 'connect');
  if (isSecure && !isOfTcp)
    return new AttemptFailure('tls', `no secure connection: ${reasonOf(error)}${codeOf(error)}`);
  return new AttemptFailure('connect', `no connection${codeOf(error)}`);
}

/** What OpenSSL says in a few words, without its file and line; Node adds advice to some of it for whoever runs the process. */
function reasonOf(error: Error): string {
  if ('reason' in error && typeof error.reason === 'string') return error.reason;
  return error.message.split('; if the root CA')[0] ?? error.message;
}

export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}
