/** The host of an absolute target as allowed_target_hosts has it (lower case, no port, no final dot); null for a path and for none. */
export function targetHost(newPath: string | null): string | null {
  if (newPath === null || newPath.startsWith('/')) return null;
  const authority = newPath.split('/', 3)[2] ?? '';
  return authority.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
}
