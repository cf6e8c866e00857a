/** Undoing a change, and what it says. */
import type { Client } from './client.ts';
import { firstLines } from './errors.ts';

export interface UndoResult {
  undo: { restored: number; recreated: number; deleted: number; conflicts: number };
  conflicts: { redirect_id: string; old_path: string; code: string }[];
  change_id: string | null;
  /** Older services do not send it. */
  deployments?: string[];
}

export function undoChange(client: Client, changeId: string, isDryRun: boolean): Promise<UndoResult> {
  const path = `/changes/${encodeURIComponent(changeId)}/undo`;
  return client.post<UndoResult>(path, isDryRun ? { dry_run: true } : {}, { canRepeat: isDryRun });
}

export function undoText({ undo: { restored, recreated, deleted, conflicts } }: UndoResult): string {
  const counts = `${restored} restored, ${recreated} recreated, ${deleted} deleted`;
  return conflicts > 0 ? `${counts}, ${conflicts} not undone` : counts;
}

/** The redirects that stay as they are, and why. */
export function conflictLines({ undo, conflicts }: UndoResult): string[] {
  const reasons: Record<string, string> = {
    CHANGED_SINCE: 'it was changed since',
    CONFLICT: 'another redirect has its path now',
    TARGET_HOST_NOT_ALLOWED: 'the host of its former target is no longer allowed',
    TOO_MANY_PATTERNS: 'the website has too many patterns',
  };
  return firstLines(
    conflicts,
    undo.conflicts,
    ({ old_path: path, code }) => `${path}: not undone, ${reasons[code] ?? code}`,
  );
}
