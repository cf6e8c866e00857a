import { DomainError, type Issue } from '../vocabulary/error.ts';

/** What a check refuses, as something to be told rather than thrown. */
export async function issuesOf(check: () => Promise<void> | void): Promise<Issue[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (error instanceof DomainError && error.issues.length > 0) return error.issues;
    throw error;
  }
}
