/** Reads the certificate of a host with a TLS handshake, without sending a request. */
import { TLSSocket } from 'node:tls';
import type { Egress } from '../platform/network/egress.ts';
import { ConnectFailure, vettedConnect } from '../platform/network/vetted-connect.ts';

export interface CertificateState {
  /** the name of the certificate authority; null without a certificate */
  issuer: string | null;
  validUntil: Date | null;
  /** why browsers reject the host, and what to do; null if they accept it */
  error: string | null;
}

const TIMEOUT_MS = 5_000;
export const HTTPS_PORT = 443;

/**
 * Connects to one of the addresses that DNS has, all of which must be allowed by `egress`. Never throws. A proxy with
 * certificates on demand may obtain one during the handshake, and then respond after the timeout of 5 s.
 */
export async function readCertificate(
  hostname: string,
  { addresses, egress, port = HTTPS_PORT }: { addresses: string[]; egress: Egress; port?: number },
): Promise<CertificateState> {
  const connect = vettedConnect(egress, () => Promise.resolve(addresses), TIMEOUT_MS, { acceptInvalid: true });
  const target = { hostname, host: hostname, servername: hostname, protocol: 'https:', port: String(port) };
  return new Promise((resolve) => {
    connect(target, (...[error, socket]) => {
      if (error) return resolve({ issuer: null, validUntil: null, error: failureText(error, port) });
      socket.on('error', () => {});
      resolve(socket instanceof TLSSocket ? stateOf(socket) : noCertificate());
      socket.destroy();
    });
  });
}

const noCertificate = (): CertificateState => ({
  issuer: null,
  validUntil: null,
  error: 'the server sent no certificate',
});

function stateOf(socket: TLSSocket): CertificateState {
  const { issuer, valid_to: validTo, subjectaltname } = socket.getPeerCertificate();
  // An empty object without a certificate.
  if (!validTo) return noCertificate();
  const name = first(issuer.O) ?? first(issuer.CN) ?? null;
  const error = socket.authorized ? null : rejectionText(String(socket.authorizationError), subjectaltname);
  return { issuer: name, validUntil: new Date(validTo), error };
}

const first = (names: string | string[] | undefined): string | undefined => (Array.isArray(names) ? names[0] : names);

const UNTRUSTED = 'browsers do not trust its issuer; use a public certificate authority';
const REJECTIONS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'the certificate has expired; renew it',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet; check the clock of the server',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed; use a public certificate authority',
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `${UNTRUSTED}, or let the server send the intermediate certificates`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${UNTRUSTED}, or let the server send the intermediate certificates`,
};

const MAX_SHOWN_NAMES = 200;

function rejectionText(code: string, names: string | undefined): string {
  if (code !== 'ERR_TLS_CERT_ALTNAME_INVALID') return REJECTIONS[code] ?? `browsers reject the certificate (${code})`;
  const others = (names ?? '').replaceAll('DNS:', '').slice(0, MAX_SHOWN_NAMES) || 'no host';
  return `the certificate is for other hosts: ${others}`;
}

function failureText(error: Error, port: number): string {
  const kind = error instanceof ConnectFailure ? error.reason : undefined;
  if (kind === 'address') return `${error.message}; the service does not connect there (WEBHOOK_EGRESS)`;
  if (kind === 'timeout') return `no certificate within 5 s on port ${port}; retry if the proxy is obtaining one`;
  if (kind === 'connect') return `port ${port}: ${error.message}`;
  // The alerts of a server that has no certificate for the name.
  if (/alert internal error|unrecognized name|handshake failure/i.test(error.message))
    return 'the server has no certificate for this host; docs/domains.md lists the causes';
  return `the handshake failed: ${error.message}`;
}
