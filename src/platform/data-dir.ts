import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes the data folder where it is not there; throws one line naming DATA_DIR where this user cannot write to it. */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolders(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new Error(
      `cannot write to the data folder ${dataDir}: set DATA_DIR to a folder that this user can write`,
      { cause },
    );
  }
}

/** mkdirSync's own `recursive` never returns where the parent is there and mkdir still says ENOENT, as in /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // another process may have made it meanwhile
  }
}
