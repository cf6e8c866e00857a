/** Why an import failed. `error`: the code of the service and its message. */
export function importFailureText(error: string): string {
  if (error === 'INTERNAL_ERROR') return 'The import failed, and nothing changed. Import the file again.';
  return error.replace(/^[A-Z_]+: /, '');
}
