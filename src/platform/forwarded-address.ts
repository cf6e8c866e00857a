const WITH_PORT = /^(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})$/i;

/**
 * The address alone of what a proxy wrote into X-Forwarded-For. Some write `203.0.113.7:4711` or `[2001:db8::7]:4711` (RFC 7239 has the
 * form; Azure's gateway uses it), and the port is another with every connection: the same client would be a new one each time.
 */
export function withoutPort(address: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(address) ?? [];
  return bracketed ?? dotted ?? address;
}
