import { type Environment, ENVIRONMENTS } from '../../vocabulary/environment.ts';

/**
 * One entry of a bulk body, or one row of a file, that was found good by itself. Undefined: it does not say (a new rule takes the
 * default, one that is there keeps what it has). null: it says that there is none.
 */
export interface ImportEntry {
  /** line of the file, or index of the entry, for errors */
  line: number;
  key: string;
  oldPath: string;
  newPath: string | null;
  statusCode: number | undefined;
  isRegex: boolean | undefined;
  groupId: string | null | undefined;
  notes: string | null | undefined;
  environments: Environment[] | undefined;
  /** whether it is good depends on the website, which was not known yet when it was checked */
  isUndecided?: boolean;
}

/** What a whole call says for the entries that do not say it themselves. */
export interface CallDefaults {
  groupId: string | null | undefined;
  environments: Environment[] | undefined;
}

/** How an import treats a path that has a redirect already: `skip` leaves it unchanged. */
export type ConflictMode = 'skip' | 'update';

/** Why an entry or row was not applied. */
export interface ImportError {
  line: number;
  column: string;
  code: string;
  message: string;
  oldPath: string | null;
}

/** Which fields an entry names, as bits of the staging table's `given`. */
export const PROVIDED = { statusCode: 1, isRegex: 2, groupId: 4, notes: 8, environments: 16 } as const;

export function givenBits(entry: ImportEntry): number {
  return (
    (entry.statusCode === undefined ? 0 : PROVIDED.statusCode) |
    (entry.isRegex === undefined ? 0 : PROVIDED.isRegex) |
    (entry.groupId === undefined ? 0 : PROVIDED.groupId) |
    (entry.notes === undefined ? 0 : PROVIDED.notes) |
    (entry.environments === undefined ? 0 : PROVIDED.environments)
  );
}

/** Environments as bits of the staging table's `targets`: production 1, staging 2, development 4. */
export function targetBits(environments: readonly Environment[]): number {
  return ENVIRONMENTS.reduce((bits, name, at) => bits | (environments.includes(name) ? 1 << at : 0), 0);
}

export function environmentsOfBits(bits: number): Environment[] {
  return ENVIRONMENTS.filter((_, at) => bits & (1 << at));
}
