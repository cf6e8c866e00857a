const WITH_PORT = /^(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5})$/i;

/**
 * Removes the port from an address in X-Forwarded-For. Some proxies write `203.0.113.7:4711` or `[2001:db8::7]:4711`
 * (RFC 7239, Azure's gateway). The port changes with every connection, so the same client would look new each time.
 */
export function withoutPort(address: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(address) ?? [];
  return bracketed ?? dotted ?? address;
}
