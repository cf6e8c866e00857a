import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { blockReason, type Egress } from './egress.ts';
import type { Resolve } from './dns.ts';

/** Why there is no connection. `address`: the egress policy blocks the address. */
type ConnectReason = 'dns' | 'address' | 'timeout' | 'connect' | 'tls';

export class ConnectFailure extends Error {
  readonly reason: ConnectReason;

  constructor(reason: ConnectReason, message: string) {
    super(message);
    this.name = 'ConnectFailure';
    this.reason = reason;
  }
}

/**
 * Time for one of several addresses before the next is tried. Node's default of 250 ms is less than some round trips.
 */
const ADDRESS_TIMEOUT_MS = 1_000;

/**
 * Creates a connector that checks every address when it connects, so that a name cannot change to a blocked address
 * after registration. One blocked address rejects all addresses of a name. `timeoutMs` is for DNS, the connection and
 * TLS together. Fails with a ConnectFailure. `acceptInvalid` is for reading an invalid certificate: send nothing then.
 */
export function vettedConnect(
  egress: Egress,
  resolve: Resolve,
  timeoutMs: number,
  { acceptInvalid = false }: { acceptInvalid?: boolean } = {},
): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    allowH2: false,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot disable it.
    rejectUnauthorized: !acceptInvalid,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    lookup: vettedLookup(egress, resolve),
  });
  return (options, callback) => {
    // node does not call `lookup` for an IP address.
    const blocked = isIP(options.hostname) ? blockReason(options.hostname, egress) : null;
    if (blocked !== null) {
      callback(new ConnectFailure('address', `${options.hostname} is ${blocked}`), null);
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
    throw new ConnectFailure('dns', `${host} could not be resolved${codeOf(error)}`);
  });
  if (addresses.length === 0) throw new ConnectFailure('dns', `${host} has no address`);
  for (const address of addresses) {
    const blocked = blockReason(address, egress);
    if (blocked !== null) throw new ConnectFailure('address', `${host} resolves to ${blocked}`);
  }
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

/** On a secure connection, every error that is not one of TCP is an error of TLS. */
function toFailure(error: Error, isSecure: boolean): ConnectFailure {
  if (error instanceof ConnectFailure) return error;
  if ('code' in error && error.code === 'UND_ERR_CONNECT_TIMEOUT')
    return new ConnectFailure('timeout', 'could not connect within the timeout');
  const isOfTcp = error instanceof AggregateError || ('syscall' in error && error.syscall === 'connect');
  if (isSecure && !isOfTcp)
    return new ConnectFailure('tls', `no secure connection: ${reasonOf(error)}${codeOf(error)}`);
  return new ConnectFailure('connect', `no connection${codeOf(error)}`);
}

/** OpenSSL's short reason, without its file and line, or Node's message without its advice to the operator. */
function reasonOf(error: Error): string {
  if ('reason' in error && typeof error.reason === 'string') return error.reason;
  return error.message.split('; if the root CA')[0] ?? error.message;
}

export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? ` (${code})` : '';
}
