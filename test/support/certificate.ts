/**
 * Self-signed certificates for receivers with TLS, encoded here, so that tests need neither stored keys nor openssl.
 */
import { generateKeyPairSync, sign } from 'node:crypto';

export interface TestCertificate {
  /** both in PEM */
  key: string;
  cert: string;
}

const DAY_MS = 86_400_000;

/** For the DNS name; `notAfter` in the past makes an expired one. */
export function selfSigned(name: string, notAfter = new Date(Date.now() + 365 * DAY_MS)): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signedWith = sequence(oid('06082a8648ce3d040302'));
  const subject = sequence(tag(0x31, sequence(oid('0603550403'), tag(0x0c, Buffer.from(name)))));
  const notBefore = new Date(notAfter.getTime() - 730 * DAY_MS);
  const toBeSigned = sequence(
    tag(0xa0, integer(2)),
    integer(1),
    signedWith,
    subject,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(subjectAltName(name))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, signedWith, tag(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

function subjectAltName(name: string): Buffer {
  const names = sequence(tag(0x82, Buffer.from(name)));
  return sequence(oid('0603551d11'), tag(0x04, names));
}

function tag(number: number, content: Buffer): Buffer {
  const length = content.length < 128 ? Buffer.of(content.length) : longLength(content.length);
  return Buffer.concat([Buffer.of(number), length, content]);
}

const longLength = (length: number): Buffer => Buffer.of(0x82, length >> 8, length & 0xff);

const sequence = (...parts: Buffer[]): Buffer => tag(0x30, Buffer.concat(parts));
const integer = (value: number): Buffer => tag(0x02, Buffer.of(value));
const oid = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** GeneralizedTime */
function time(date: Date): Buffer {
  return tag(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`));
}
